import { field, integration } from '../src/integration.ts'

const item =
  '{{ work_package._embedded.type.name | default: "Work package" }} #{{ work_package.id }} {{ work_package.subject | one_line | bold }}'
const packages = {
  requires: ['work_package.subject'],
  topic: '{{ work_package._embedded.project.name }} / #{{ work_package.id }} {{ work_package.subject }}',
}
const state =
  '{% if work_package._embedded.status.name %}, {{ work_package._embedded.status.name | one_line | bold }}{% endif %}{% if work_package._embedded.assignee.name %}, for {{ work_package._embedded.assignee.name | one_line | bold }}{% endif %}'

export default integration({
  name: 'openproject',
  title: 'OpenProject',
  category: 'work',
  summary: 'Work packages, their comments, projects, time entries and attachments.',
  event: field('action'),
  requires: ['action'],
  topic: 'OpenProject',
  events: {
    'work_package:created': {
      title: 'New work packages',
      ...packages,
      text: `{{ work_package._embedded.author.name | default: "Someone" | one_line | bold }} created ${item}${state}.{% if work_package.description.raw %}
{{ work_package.description.raw | shorten: 2000 | quote }}{% endif %}`,
    },
    'work_package:updated': { title: 'Changed work packages', ...packages, text: `${item} was updated${state}.` },
    'work_package_comment:comment': {
      title: 'Comments',
      requires: ['activity'],
      topic: '{{ activity._embedded.workPackage._embedded.project.name | default: "OpenProject" }}',
      text: `{{ activity._embedded.user.name | default: "Someone" | one_line | bold }} commented on {{ activity._embedded.workPackage.subject | one_line | bold }}:
{{ activity.comment.raw | shorten: 2000 | quote }}`,
    },
    'project:created': {
      title: 'New projects',
      requires: ['project.name'],
      text: 'The project {{ project.name | one_line | bold }} was created.',
    },
    'project:updated': {
      title: 'Changed projects',
      requires: ['project.name'],
      text: 'The project {{ project.name | one_line | bold }} was updated.',
    },
    'time_entry:created': {
      title: 'Time entries',
      requires: ['time_entry'],
      text: '{{ time_entry._embedded.user.name | default: "Someone" | one_line | bold }} logged {{ time_entry.hours | one_line | code }} on {{ time_entry._embedded.workPackage.subject | one_line | bold }}.',
    },
    'attachment:created': {
      title: 'Attachments',
      requires: ['attachment.fileName'],
      text: '{{ attachment._embedded.author.name | default: "Someone" | one_line | bold }} attached {{ attachment.fileName | one_line | bold }}.',
    },
  },
})
