import { integration } from '../src/integration.ts'

export default integration({
  name: 'json',
  title: 'Any JSON',
  category: 'generic',
  summary: 'Messages from any program that sends JSON, with a template of your own.',
  topic: 'JSON',
  events: { message: { title: 'Every request', text: '{{ payload | json: 2 | code_block: "json" }}' } },
})
