import slack from '../slack_incoming/integration.ts'
import { integration } from '../src/integration.ts'

export default integration({
  ...slack,
  name: 'mattermost',
  title: 'Mattermost',
  summary: 'For programs that post to Mattermost: text, attachments and cards.',
  transform: (payload) => {
    const card = payload?.props?.card
    const text = [payload?.text, card].filter((one) => typeof one === 'string' && one !== '').join('\n\n')
    return slack.transform!({ ...payload, ...(text !== '' && { text }) })
  },
})
