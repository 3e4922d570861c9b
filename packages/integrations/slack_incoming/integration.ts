import { integration } from '../src/integration.ts'
import { textOf, valueAt } from '../src/paths.ts'
import { slackMessage } from '../src/slack/message.ts'

export default integration({
  name: 'slack_incoming',
  title: 'Slack-compatible',
  category: 'generic',
  summary: "For everything that can send to Slack's incoming webhooks: text, blocks and attachments.",
  answersOk: true,
  isMarkup: true,
  topic: '{{ topic | default: "Notifications" }}',
  transform: (payload) => {
    const { text, note } = slackMessage(payload)
    return { text, hook_note: note, topic: textOf(valueAt(payload, 'channel')).replace(/^#/, '') }
  },
  events: { message: { title: 'Every request', text: '{{ text }}' } },
})
