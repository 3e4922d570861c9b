import { integration } from '../src/integration.ts'

export default integration({
  name: 'healthchecks',
  title: 'Healthchecks',
  category: 'alerts',
  summary: 'Jobs that did not report in time, and those that do again.',
  requires: ['name', 'status'],
  topic: '{{ name }}',
  keys: { update: '{{ code | default: name }}', closedWhen: 'status == "up"' },
  events: {
    message: {
      title: 'Checks',
      text: `{% if status == "up" %}:check: **Up**{% else %}:warning: **Down**{% endif %} {{ name | link: url }}{% if tags and tags != "" %} {{ tags | one_line | code }}{% endif %}{% if now %} since {{ now | time }}{% endif %}`,
    },
  },
})
