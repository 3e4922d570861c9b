import { integration } from '../src/integration.ts'

const monitor = '{{ monitorFriendlyName | link: monitorURL }}'
const detail = '{% if alertDetails and alertDetails != "" %}: {{ alertDetails | one_line | shorten: 500 }}{% endif %}'

export default integration({
  name: 'uptimerobot',
  title: 'UptimeRobot',
  category: 'alerts',
  summary: 'Monitors that go down and come back, in one message each.',
  requires: ['monitorFriendlyName', 'alertType'],
  topic: '{{ monitorFriendlyName }}',
  keys: { update: '{% unless alertType == "3" %}{{ monitorID }}{% endunless %}', closedWhen: 'alertType == "2"' },
  events: {
    message: {
      title: 'Monitors',
      text: `{% if alertType == "1" %}:warning: **Down** ${monitor}${detail}{% elsif alertType == "2" %}:check: **Up** ${monitor}${detail}{% else %}**{{ alertTypeFriendlyName | default: "Alert" | one_line }}** ${monitor}${detail}{% endif %}`,
    },
  },
})
