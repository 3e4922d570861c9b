import { field, integration } from '../src/integration.ts'

const ticket =
  '{% capture url %}https://{{ subdomain | default: "support" }}.zendesk.com/agent/tickets/{{ detail.id }}{% endcapture %}{{ "ticket #" | append: detail.id | link: url }} {{ detail.subject | one_line | bold }}'
const change = (title: string, text: string) => ({ title, requires: ['detail.id'], text: `${ticket} ${text}` })
const fromTo =
  '{{ event.previous | default: "–" | downcase | one_line }} → {{ event.current | default: "–" | downcase | one_line | bold }}'

export default integration({
  name: 'zendesk',
  title: 'Zendesk',
  category: 'business',
  summary: 'Tickets: new, answered, assigned, solved.',
  event: field('type'),
  requires: ['type', 'detail'],
  topic: '#{{ detail.id }} {{ detail.subject }}',
  events: {
    'zen:event-type:ticket.created': change(
      'New tickets',
      'was opened{% if detail.priority %}, priority {{ detail.priority | downcase | one_line | bold }}{% endif %}.{% if detail.description %}\n{{ detail.description | shorten: 2000 | quote }}{% endif %}',
    ),
    'zen:event-type:ticket.comment_added': change(
      'Comments',
      'was {% if event.comment.is_public == false %}commented on internally{% else %}answered{% endif %} by {{ event.comment.author.name | default: "someone" | one_line | bold }}:\n{{ event.comment.body | shorten: 2000 | quote }}',
    ),
    'zen:event-type:ticket.status_changed': change('Status', `changed: ${fromTo}.`),
    'zen:event-type:ticket.priority_changed': change('Priority', `has another priority: ${fromTo}.`),
    'zen:event-type:ticket.agent_assignment_changed': change('Assignees', 'has another assignee.'),
    'zen:event-type:ticket.subject_changed': change(
      'Subjects',
      'was renamed: {{ event.previous | one_line }} → {{ event.current | one_line | bold }}.',
    ),
    'zen:event-type:ticket.merged': change('Merged tickets', 'was merged into another ticket.'),
    'zen:event-type:ticket.soft_deleted': change('Deleted tickets', 'was deleted.'),
  },
})
