import { integration } from '../src/integration.ts'

const monitor =
  '{% if monitor.url and monitor.url != "https://" %}{{ monitor.name | link: monitor.url }}{% else %}{{ monitor.name | one_line | bold }}{% endif %}'
const detail =
  '{% if heartbeat.msg and heartbeat.msg != "" %}: {{ heartbeat.msg | one_line | shorten: 500 }}{% endif %}'

export default integration({
  name: 'uptimekuma',
  title: 'Uptime Kuma',
  category: 'alerts',
  summary: 'Monitors that go down and come back, in one message each.',
  requires: ['msg'],
  topic: '{{ monitor.name | default: "Uptime Kuma" }}',
  keys: { update: '{{ monitor.id }}', closedWhen: 'heartbeat.status == 1' },
  events: {
    message: {
      title: 'Monitors',
      text: `{% if heartbeat == null or monitor == null %}Uptime Kuma: {{ msg }}{% elsif heartbeat.status == 0 %}:warning: **Down** ${monitor}${detail}{% elsif heartbeat.status == 1 %}:check: **Up** ${monitor}${detail}{% elsif heartbeat.status == 3 %}:working_on_it: **Maintenance** ${monitor}${detail}{% else %}**Pending** ${monitor}${detail}{% endif %}`,
    },
  },
})
