import { header, integration } from '../src/integration.ts'

const issue = '{{ data.issue.shortId | link: data.issue.web_url }} {{ data.issue.title | one_line | bold }}'
const project = '{% if data.issue.project.name %} in {{ data.issue.project.name | one_line | bold }}{% endif %}'
const by = '{% if actor.name %} by {{ actor.name | one_line | bold }}{% endif %}'

export default integration({
  name: 'sentry',
  title: 'Sentry',
  category: 'alerts',
  summary: 'New, resolved and assigned issues, alerts and comments.',
  event: header('sentry-hook-resource'),
  deliveryId: 'request-id',
  signature: { kind: 'hmac_sha256', header: 'sentry-hook-signature' },
  requires: ['action', 'data'],
  topic: '{{ data.issue.project.slug | default: data.event.project | default: "Sentry" }}',
  events: {
    installation: { title: 'Set-up', text: 'Sentry: the integration was {{ action }}.' },
    issue: {
      title: 'Issues',
      requires: ['data.issue.title'],
      topic: '{{ data.issue.shortId }} {{ data.issue.title }}',
      keys: {
        update: '{% if data.issue.id %}issue {{ data.issue.id }}{% endif %}',
        closedWhen: 'action == "resolved" or action == "archived"',
      },
      text: {
        by: 'action',
        actions: {
          created: `:warning: New issue ${issue}${project}{% if data.issue.culprit %} at {{ data.issue.culprit | code }}{% endif %}.`,
          resolved: `:check: Resolved: ${issue}${project}${by}.`,
          unresolved: `:warning: Back again: ${issue}${project}.`,
          assigned: `Assigned to {{ data.issue.assignedTo.name | one_line | bold }}${by}: ${issue}${project}.`,
          archived: `Archived: ${issue}${project}${by}.`,
          ignored: `Ignored: ${issue}${project}${by}.`,
        },
      },
    },
    event_alert: {
      title: 'Alerts about issues',
      requires: ['data.event.title'],
      keys: {
        dedup: '{% if data.event.issue_id %}alert {{ data.event.issue_id }} {{ data.triggered_rule }}{% endif %}',
      },
      topic: '{{ data.triggered_rule | default: "Sentry" }}',
      text: {
        by: 'action',
        actions: {
          triggered: `:warning: {{ data.event.title | link: data.event.web_url }}{% if data.triggered_rule %} (rule {{ data.triggered_rule | one_line | bold }}){% endif %}{% if data.event.culprit %}
at {{ data.event.culprit | code }}{% endif %}`,
        },
      },
    },
    metric_alert: {
      title: 'Alerts about metrics',
      requires: ['data.description_title'],
      keys: {
        update: '{% if data.metric_alert.id %}metric {{ data.metric_alert.id }}{% endif %}',
        closedWhen: 'action == "resolved"',
      },
      topic: '{{ data.description_title }}',
      text: {
        by: 'action',
        actions: {
          critical:
            ':warning: **Critical**: {{ data.description_title | link: data.web_url }}\n{{ data.description_text }}',
          warning:
            ':warning: **Warning**: {{ data.description_title | link: data.web_url }}\n{{ data.description_text }}',
          resolved: ':check: **Resolved**: {{ data.description_title | link: data.web_url }}',
        },
      },
    },
    comment: {
      title: 'Comments',
      requires: ['data.comment'],
      topic: '{{ data.project_slug | default: "Sentry" }}',
      text: {
        by: 'action',
        actions: {
          created:
            'New comment{% if actor.name %} by {{ actor.name | one_line | bold }}{% endif %}:\n{{ data.comment | shorten: 2000 | quote }}',
        },
      },
    },
    error: {
      title: 'Every error',
      requires: ['data.error.title'],
      keys: { dedup: '{{ data.error.issue_id }}' },
      topic: '{{ data.error.title }}',
      text: { by: 'action', actions: { created: ':warning: {{ data.error.title | link: data.error.web_url }}' } },
    },
  },
})
