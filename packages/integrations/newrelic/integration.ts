import { integration } from '../src/integration.ts'

const isOver = 'state == "CLOSED"'

export default integration({
  name: 'newrelic',
  title: 'New Relic',
  category: 'alerts',
  summary: 'Issues: one message each, kept up to date until they close.',
  requires: ['title', 'state'],
  topic: '{{ title }}',
  keys: { update: '{{ id }}', closedWhen: isOver },
  events: {
    message: {
      title: 'Issues',
      text: `{% if ${isOver} %}:check:{% elsif state == "ACKNOWLEDGED" %}:eyes:{% else %}:warning:{% endif %} **{{ state | downcase | capitalize | one_line }}** {{ title | link: issueUrl }}{% if priority %} ({{ priority | downcase }}){% endif %}{% if impactedEntities.size > 0 %}
Affects {{ impactedEntities | join: ", " | shorten: 300 }}.{% endif %}{% if alertPolicyNames.size > 0 %} Policy {{ alertPolicyNames | join: ", " | one_line | bold }}.{% endif %}`,
    },
  },
})
