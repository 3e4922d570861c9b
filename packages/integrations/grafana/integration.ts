import { integration } from '../src/integration.ts'

export default integration({
  name: 'grafana',
  title: 'Grafana',
  category: 'alerts',
  summary: 'Alerts of Grafana, with their values and links to the panel and the silence.',
  requires: ['alerts', 'status'],
  topic: '{{ groupLabels.alertname | default: commonLabels.alertname | default: title }}',
  keys: { update: '{{ groupKey }}', closedWhen: 'status == "resolved"' },
  events: {
    message: {
      title: 'Alerts',
      text: `{% for alert in alerts limit: 20 %}{% if alert.status == "resolved" %}:check: **Resolved**{% else %}:warning: **Firing**{% endif %} {{ alert.annotations.summary | default: alert.labels.alertname | one_line | bold }} {% if alert.status == "resolved" %}until {{ alert.endsAt | time }}{% else %}since {{ alert.startsAt | time }}{% endif %}
{% if alert.annotations.description %}{{ alert.annotations.description | shorten: 500 | quote }}
{% endif %}{% if alert.values %}{{ alert.values | table }}

{% endif %}{% if alert.panelURL and alert.panelURL != "" %}{{ "Panel" | link: alert.panelURL }} · {% elsif alert.generatorURL %}{{ "Rule" | link: alert.generatorURL }} · {% endif %}{% if alert.silenceURL %}{{ "Silence" | link: alert.silenceURL }}{% endif %}
{% endfor %}{% if truncatedAlerts > 0 %}And {{ truncatedAlerts }} more.{% endif %}`,
    },
  },
})
