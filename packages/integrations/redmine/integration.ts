import { field, integration } from '../src/integration.ts'

const name = (path: string) => `{{ ${path}.firstname | append: " " | append: ${path}.lastname | one_line | bold }}`
const issue =
  '{{ issue.tracker.name | default: "Issue" | append: " #" | append: issue.id | link: url }} {{ issue.subject | one_line | bold }}'

export default integration({
  name: 'redmine',
  title: 'Redmine',
  category: 'work',
  summary: 'New and changed issues.',
  event: field('payload.action'),
  requires: ['payload.issue.subject'],
  topic: '{{ issue.project.name }} / #{{ issue.id }} {{ issue.subject }}',
  transform: (payload) => payload?.payload ?? {},
  events: {
    opened: {
      title: 'New issues',
      text: `${name('issue.author')} opened ${issue}{% if issue.priority.name %}, priority {{ issue.priority.name | one_line | bold }}{% endif %}{% if issue.assignee.firstname %}, for ${name('issue.assignee')}{% endif %}.{% if issue.description %}
{{ issue.description | shorten: 2000 | quote }}{% endif %}`,
    },
    updated: {
      title: 'Changed issues',
      text: `${name('journal.author')} updated ${issue}, {{ issue.status.name | one_line | bold }}.{% for detail in journal.details limit: 10 %}
* {{ detail.prop_key | replace: "_", " " | one_line | bold }}: {{ detail.old_value | default: "–" | one_line | shorten: 200 }} → {{ detail.value | default: "–" | one_line | shorten: 200 }}{% endfor %}{% if journal.notes and journal.notes != "" %}
{{ journal.notes | shorten: 2000 | quote }}{% endif %}`,
    },
  },
})
