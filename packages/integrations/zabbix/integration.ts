import { integration } from '../src/integration.ts'

export default integration({
  name: 'zabbix',
  title: 'Zabbix',
  category: 'alerts',
  summary: 'Problems and their end, in one message each.',
  requires: ['trigger_name', 'hostname'],
  topic: '{{ hostname }}',
  keys: { update: '{{ event_id }}', closedWhen: 'trigger_status == "OK"' },
  events: {
    message: {
      title: 'Problems',
      text: `{% if trigger_status == "OK" %}:check: **Resolved**{% else %}:warning: **{{ severity | default: "Problem" | one_line }}**{% endif %} {{ trigger_name | link: link }} on {{ hostname | one_line | bold }}.{% if item and item != "" %}
* {{ item | one_line | shorten: 500 }}{% endif %}`,
    },
  },
})
