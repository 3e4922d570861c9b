import { field, integration } from '../src/integration.ts'

const base = '{{ issue.self | split: "/rest/" | first }}/browse/{{ issue.key }}'
const issue = `{% capture url %}${base}{% endcapture %}{{ issue.key | link: url }} {{ issue.fields.summary | one_line | bold }}`
const who = '{{ user.displayName | default: "Someone" | one_line | bold }}'
const author =
  '{{ comment.updateAuthor.displayName | default: comment.author.displayName | default: "Someone" | one_line | bold }}'
const comment = '\n{{ comment.body | shorten: 2000 | quote }}'
const issues = { requires: ['issue.key'], topic: '{{ issue.key }} {{ issue.fields.summary }}' }
const changes = `{% for item in changelog.items limit: 10 %}
* {{ item.field | one_line | bold }}: {% if item.field == "description" %}changed{% else %}{{ item.fromString | default: "–" | one_line | shorten: 200 }} → {{ item.toString | default: "–" | one_line | shorten: 200 }}{% endif %}{% endfor %}`
const sprints = { requires: ['sprint.name'], topic: '{{ sprint.name }}' }

export default integration({
  name: 'jira',
  title: 'Jira',
  category: 'work',
  summary: 'Issues, comments, sprints and versions.',
  event: field('webhookEvent'),
  deliveryId: 'x-atlassian-webhook-identifier',
  signature: { kind: 'hmac_sha256', header: 'x-hub-signature', prefix: 'sha256=' },
  topic: '{{ issue.fields.project.name | default: "Jira" }}',
  events: {
    'jira:issue_created': {
      title: 'New issues',
      ...issues,
      text: `${who} created {{ issue.fields.issuetype.name }} ${issue}{% if issue.fields.priority.name %}, priority {{ issue.fields.priority.name | one_line | bold }}{% endif %}{% if issue.fields.assignee.displayName %}, for {{ issue.fields.assignee.displayName | one_line | bold }}{% endif %}.{% if issue.fields.description %}\n{{ issue.fields.description | shorten: 2000 | quote }}{% endif %}`,
    },
    'jira:issue_updated': {
      title: 'Changed issues',
      ...issues,
      text: `${who} updated ${issue}.${changes}{% if comment.body %}${comment}{% endif %}`,
    },
    'jira:issue_deleted': {
      title: 'Deleted issues',
      ...issues,
      text: `${who} deleted {{ issue.key }} {{ issue.fields.summary | one_line | bold }}.`,
    },
    comment_created: {
      title: 'Comments',
      ...issues,
      requires: ['issue.key', 'comment.body'],
      text: `${author} commented on ${issue}:${comment}`,
    },
    comment_updated: {
      title: 'Changed comments',
      ...issues,
      requires: ['issue.key', 'comment.body'],
      text: `${author} edited a comment on ${issue}:${comment}`,
    },
    comment_deleted: { title: 'Deleted comments', ...issues, text: `A comment on ${issue} was deleted.` },
    sprint_started: {
      title: 'Sprints that begin',
      ...sprints,
      text: 'Sprint {{ sprint.name | one_line | bold }} begins.{% if sprint.goal and sprint.goal != "" %}\n{{ sprint.goal | shorten: 1000 | quote }}{% endif %}',
    },
    sprint_closed: {
      title: 'Sprints that end',
      ...sprints,
      text: 'Sprint {{ sprint.name | one_line | bold }} is over.',
    },
    'jira:version_released': {
      title: 'Versions',
      requires: ['version.name'],
      topic: '{{ version.name }}',
      text: 'Version {{ version.name | one_line | bold }} was released.{% if version.description %}\n{{ version.description | shorten: 1000 | quote }}{% endif %}',
    },
  },
})
