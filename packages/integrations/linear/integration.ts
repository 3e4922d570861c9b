import { field, integration } from '../src/integration.ts'

const who = '{{ actor.name | default: "Someone" | one_line | bold }}'
const issue = '{{ data.identifier | link: url }} {{ data.title | one_line | bold }}'
const state =
  '{% if data.state.name %}, {{ data.state.name | one_line | bold }}{% endif %}{% if data.assignee.name %}, for {{ data.assignee.name | one_line | bold }}{% endif %}'
const parent = '{{ data.issue.identifier | link: url }} {{ data.issue.title | one_line | bold }}'
const project = '{{ data.name | link: url }}'
const actions = (created: string, updated: string, removed: string) => ({
  by: 'action',
  actions: { create: created, update: updated, remove: removed },
})

export default integration({
  name: 'linear',
  title: 'Linear',
  category: 'work',
  summary: 'Issues, comments, projects and their updates.',
  event: field('type'),
  deliveryId: 'linear-delivery',
  signature: { kind: 'hmac_sha256', header: 'linear-signature' },
  requires: ['action', 'data'],
  topic: '{{ data.team.name | default: "Linear" }}',
  events: {
    Issue: {
      title: 'Issues',
      requires: ['data.identifier'],
      topic: '{{ data.identifier }} {{ data.title }}',
      text: actions(
        `${who} created ${issue}${state}.{% if data.description %}\n{{ data.description | shorten: 2000 | quote }}{% endif %}`,
        `${who} updated ${issue}${state}.`,
        `${who} deleted {{ data.identifier }} {{ data.title | one_line | bold }}.`,
      ),
    },
    Comment: {
      title: 'Comments',
      requires: ['data.body'],
      topic: '{{ data.issue.identifier }} {{ data.issue.title }}',
      text: actions(
        `${who} commented on ${parent}:\n{{ data.body | shorten: 2000 | quote }}`,
        `${who} edited a comment on ${parent}:\n{{ data.body | shorten: 2000 | quote }}`,
        `${who} deleted a comment on ${parent}.`,
      ),
    },
    Project: {
      title: 'Projects',
      requires: ['data.name'],
      topic: '{{ data.name }}',
      text: actions(
        `${who} created the project ${project}.`,
        `${who} updated the project ${project}.`,
        `${who} deleted the project {{ data.name | one_line | bold }}.`,
      ),
    },
    ProjectUpdate: {
      title: 'Updates of projects',
      requires: ['data.body'],
      topic: '{{ data.project.name | default: "Projects" }}',
      text: {
        by: 'action',
        actions: {
          create: `${who} reports on {{ data.project.name | link: url }}{% if data.health %} ({{ data.health }}){% endif %}:\n{{ data.body | shorten: 2000 | quote }}`,
        },
      },
    },
  },
})
