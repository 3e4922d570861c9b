import { field, integration } from '../src/integration.ts'

const alert = '{{ alert.message | one_line | bold }}{% if alert.priority %} ({{ alert.priority }}){% endif %}'
const by = '{% if alert.username %} by {{ alert.username | one_line | bold }}{% endif %}'
const description =
  '{% if alert.description and alert.description != "" %}\n{{ alert.description | shorten: 1000 | quote }}{% endif %}'
const tags = '{% if alert.tags.size > 0 %} {{ alert.tags | join: ", " }}{% endif %}'
const kept = {
  requires: ['alert.message'],
  topic: '{{ alert.message }}',
  keys: { update: '{{ alert.alertId }}', closedWhen: 'action == "Close" or action == "Delete"' },
}
const apart = { requires: ['alert.message'], topic: '{{ alert.message }}' }

export default integration({
  name: 'opsgenie',
  title: 'Opsgenie',
  category: 'alerts',
  summary: 'Alerts: one message each, kept up to date, with its topic resolved at the end.',
  event: field('action'),
  requires: ['alert'],
  topic: '{{ alert.message | default: "Opsgenie" }}',
  events: {
    Create: { title: 'New alerts', ...kept, text: `:warning: **Alert** ${alert}${tags}${description}` },
    Acknowledge: {
      title: 'Acknowledged',
      ...kept,
      text: `:eyes: **Acknowledged**${by}: ${alert}${tags}${description}`,
    },
    UnAcknowledge: {
      title: 'No longer acknowledged',
      ...kept,
      text: `:warning: **Unacknowledged**${by}: ${alert}${tags}${description}`,
    },
    AssignOwnership: {
      title: 'Assigned',
      ...kept,
      text: `**Assigned** to {{ alert.owner | one_line | bold }}: ${alert}${tags}${description}`,
    },
    Escalate: { title: 'Escalated', ...kept, text: `:warning: **Escalated** ${alert}${tags}${description}` },
    UpdatePriority: { title: 'Priority', ...kept, text: `**Priority changed**${by}: ${alert}${tags}${description}` },
    Close: { title: 'Closed', ...kept, text: `:check: **Closed**${by}: ${alert}` },
    Delete: { title: 'Deleted', ...kept, text: `**Deleted**${by}: ${alert}` },
    AddNote: { title: 'Notes', ...apart, text: `Note${by} on ${alert}:\n{{ alert.note | shorten: 2000 | quote }}` },
    AddTeam: { title: 'Teams', ...apart, text: `Team {{ alert.team | one_line | bold }} was added to ${alert}.` },
    AddResponder: { title: 'Responders', ...apart, text: `A responder was added to ${alert}.` },
  },
})
