import { integration } from '../src/integration.ts'

const mark = '{% if alert.status == "resolved" %}:check: **Resolved**{% else %}:warning: **Firing**{% endif %}'
const summary =
  '{{ alert.annotations.summary | default: alert.annotations.title | default: alert.labels.alertname | one_line | bold }}'
const since =
  '{% if alert.status == "resolved" %}until {{ alert.endsAt | time }}{% else %}since {{ alert.startsAt | time }}{% endif %}'

export default integration({
  name: 'alertmanager',
  title: 'Prometheus Alertmanager',
  category: 'alerts',
  summary: 'Alerts of Prometheus, grouped as Alertmanager groups them.',
  requires: ['alerts', 'groupKey', 'status'],
  topic: '{{ groupLabels.alertname | default: commonLabels.alertname | default: receiver }}',
  keys: { update: '{{ groupKey }}', closedWhen: 'status == "resolved"' },
  events: {
    message: {
      title: 'Alerts',
      text: `{% for alert in alerts limit: 20 %}${mark} ${summary} ${since}{% if alert.generatorURL %} ({{ "graph" | link: alert.generatorURL }}){% endif %}
{% if alert.annotations.description %}{{ alert.annotations.description | shorten: 500 | quote }}
{% endif %}{% endfor %}{% if alerts.size > 20 %}And {{ alerts.size | minus: 20 }} more.
{% endif %}{% if externalURL %}{{ "Alertmanager" | link: externalURL }}{% endif %}`,
    },
  },
})
