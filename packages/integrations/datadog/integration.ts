import { integration } from '../src/integration.ts'

const isOver = 'transition == "Recovered"'

export default integration({
  name: 'datadog',
  title: 'Datadog',
  category: 'alerts',
  summary: 'Alerts of monitors: one message each, kept up to date until they recover.',
  requires: ['title'],
  topic: '{{ title }}',
  keys: { update: '{{ key }}', closedWhen: isOver },
  events: {
    message: {
      title: 'Alerts',
      text: `{% if ${isOver} %}:check:{% else %}:warning:{% endif %} **{{ transition | default: "Event" | one_line }}** {{ title | link: link }}{% if priority and priority != "" %} ({{ priority }}){% endif %}{% if body and body != "" %}
{{ body | shorten: 2000 | quote }}{% endif %}{% if tags and tags != "" %}
Tags: {{ tags | one_line | shorten: 300 | code }}{% endif %}`,
    },
  },
})
