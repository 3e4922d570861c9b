import { integration } from '../src/integration.ts'

const isOver = 'incident.status == "resolved" or incident.status == "completed" or incident.status == "postmortem"'

export default integration({
  name: 'statuspage',
  title: 'Statuspage',
  category: 'business',
  summary: 'Incidents, kept up to date in one message each, and components that change.',
  event: { of: (payload) => (payload?.incident ? 'incident' : 'component_update') },
  topic: 'Statuspage',
  events: {
    incident: {
      title: 'Incidents',
      requires: ['incident.name', 'incident.status'],
      topic: '{{ incident.name }}',
      keys: { update: '{{ incident.id }}', closedWhen: isOver },
      text: `{% if ${isOver} %}:check:{% else %}:warning:{% endif %} **{{ incident.status | replace: "_", " " | capitalize | one_line }}** {{ incident.name | link: incident.shortlink }}{% if incident.impact and incident.impact != "none" %} ({{ incident.impact }}){% endif %}{% if incident.incident_updates[0].body %}
{{ incident.incident_updates[0].body | shorten: 2000 | quote }}{% endif %}`,
    },
    component_update: {
      title: 'Components',
      requires: ['component_update.new_status', 'component.name'],
      topic: '{{ component.name }}',
      text: '{% if component_update.new_status == "operational" %}:check:{% else %}:warning:{% endif %} {{ component.name | one_line | bold }}: {{ component_update.old_status | replace: "_", " " }} → {{ component_update.new_status | replace: "_", " " }}',
    },
  },
})
