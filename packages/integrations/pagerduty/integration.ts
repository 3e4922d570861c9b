import { field, integration } from '../src/integration.ts'

const incident =
  '{{ "incident #" | append: event.data.number | link: event.data.html_url }} {{ event.data.title | one_line | bold }} of {{ event.data.service.summary | link: event.data.service.html_url }}'
const people =
  '{% if event.data.assignees.size > 0 %}, assigned to {% for one in event.data.assignees limit: 5 %}{% unless forloop.first %}, {% endunless %}{{ one.summary | one_line | bold }}{% endfor %}{% endif %}'
const by = '{% if event.agent.summary %} by {{ event.agent.summary | one_line | bold }}{% endif %}'
const urgency =
  '{% if event.data.priority.summary %} ({{ event.data.priority.summary }}){% elsif event.data.urgency %} ({{ event.data.urgency }}){% endif %}'

const incidents = {
  requires: ['event.data.number', 'event.data.title'],
  topic: '{{ event.data.title }}',
}
const kept = {
  ...incidents,
  keys: { update: '{{ event.data.id }}', closedWhen: 'event.event_type == "incident.resolved"' },
}
const about = {
  requires: ['event.data.incident.summary'],
  topic: '{{ event.data.incident.summary | split: "] " | last }}',
}

export default integration({
  name: 'pagerduty',
  title: 'PagerDuty',
  category: 'alerts',
  summary: 'Incidents: one message each, kept up to date, with its topic resolved at the end.',
  event: field('event.event_type'),
  signature: { kind: 'hmac_sha256', header: 'x-pagerduty-signature', prefix: 'v1=' },
  topic: 'PagerDuty',
  events: {
    'pagey.ping': { title: 'Set-up', text: 'PagerDuty: the webhook works.' },
    'incident.triggered': {
      title: 'New incidents',
      ...kept,
      text: `:warning: **Triggered** ${incident}${urgency}${people}.`,
    },
    'incident.acknowledged': {
      title: 'Acknowledged',
      ...kept,
      text: `:eyes: **Acknowledged**${by}: ${incident}${urgency}${people}.`,
    },
    'incident.unacknowledged': {
      title: 'No longer acknowledged',
      ...kept,
      text: `:warning: **Unacknowledged** ${incident}${urgency}${people}.`,
    },
    'incident.escalated': {
      title: 'Escalated',
      ...kept,
      text: `:warning: **Escalated** ${incident}${urgency}${people}.`,
    },
    'incident.reassigned': {
      title: 'Reassigned',
      ...kept,
      text: `**Reassigned**${by}: ${incident}${urgency}${people}.`,
    },
    'incident.delegated': { title: 'Delegated', ...kept, text: `**Delegated**${by}: ${incident}${urgency}${people}.` },
    'incident.priority_updated': {
      title: 'Priority',
      ...kept,
      text: `**Priority changed**${by}: ${incident}${urgency}${people}.`,
    },
    'incident.reopened': {
      title: 'Reopened',
      ...kept,
      text: `:warning: **Reopened**${by}: ${incident}${urgency}${people}.`,
    },
    'incident.resolved': { title: 'Resolved', ...kept, text: `:check: **Resolved**${by}: ${incident}.` },
    'incident.annotated': {
      title: 'Notes',
      ...about,
      text: `Note${by} on {{ event.data.incident.summary | link: event.data.incident.html_url }}:\n{{ event.data.content | shorten: 2000 | quote }}`,
    },
    'incident.status_update_published': {
      title: 'Status updates',
      ...about,
      text: `Status of {{ event.data.incident.summary | link: event.data.incident.html_url }}:\n{{ event.data.message | shorten: 2000 | quote }}`,
    },
    'incident.responder.added': {
      title: 'Responders',
      ...about,
      text: `{{ event.data.user.summary | one_line | bold }} was asked to help with {{ event.data.incident.summary | link: event.data.incident.html_url }}.`,
    },
  },
})
