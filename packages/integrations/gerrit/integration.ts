import { field, integration } from '../src/integration.ts'

const person = (path: string) => `{{ ${path}.name | default: ${path}.username | default: "Someone" | one_line | bold }}`
const change = '{{ change.number | link: change.url }} {{ change.subject | one_line | bold }}'
const changes = {
  requires: ['change.subject'],
  topic: '{{ change.project }} / {{ change.number }} {{ change.subject }}',
}

export default integration({
  name: 'gerrit',
  title: 'Gerrit',
  category: 'code',
  summary: 'Changes, patch sets, reviews and merges.',
  event: field('type'),
  topic: '{{ change.project | default: refUpdate.project | default: "Gerrit" }}',
  events: {
    'patchset-created': {
      title: 'New changes and patch sets',
      ...changes,
      text: `${person('uploader')} uploaded {% if patchSet.number == 1 %}change{% else %}patch set {{ patchSet.number }} of{% endif %} ${change} for {{ change.branch | code }}.`,
    },
    'comment-added': {
      title: 'Reviews and comments',
      ...changes,
      text: `${person('author')} reviewed ${change}{% for approval in approvals %}{% if approval.value != "0" %}, {{ approval.description | default: approval.type | one_line }} {{ approval.value | one_line | bold }}{% endif %}{% endfor %}.{% if comment %}
{{ comment | shorten: 2000 | quote }}{% endif %}`,
    },
    'change-merged': {
      title: 'Merged changes',
      ...changes,
      text: `${person('submitter')} merged ${change} into {{ change.branch | code }}.`,
    },
    'change-abandoned': {
      title: 'Abandoned changes',
      ...changes,
      text: `${person('abandoner')} abandoned ${change}.{% if reason %}
{{ reason | shorten: 1000 | quote }}{% endif %}`,
    },
    'change-restored': { title: 'Restored changes', ...changes, text: `${person('restorer')} restored ${change}.` },
    'reviewer-added': { title: 'New reviewers', ...changes, text: `${person('reviewer')} reviews ${change}.` },
    'ref-updated': {
      title: 'Branches and tags',
      requires: ['refUpdate.refName'],
      text: `${person('submitter')} updated {{ refUpdate.refName | branch | code }} of {{ refUpdate.project | one_line | bold }} to {{ refUpdate.newRev | sha | code }}.`,
    },
  },
})
