import { integration } from '../src/integration.ts'

export default integration({
  name: 'plain',
  title: 'Plain text',
  category: 'generic',
  summary: 'The body of the request is the message: for scripts and cron jobs.',
  body: 'text',
  isMarkup: true,
  topic: '{{ topic | default: "Notifications" }}',
  events: { message: { title: 'Every request', text: '{{ text }}' } },
})
