import { field, integration } from '../src/integration.ts'

const mark = (status: string) => `{% if ${status} == "success" %}:check:{% else %}:warning:{% endif %}`
const place =
  '{% if pipeline.vcs.branch %} on {{ pipeline.vcs.branch | code }}{% endif %}{% if pipeline.vcs.revision %} ({{ pipeline.vcs.revision | sha }}{% if pipeline.vcs.commit.subject %}: {{ pipeline.vcs.commit.subject | one_line | shorten: 200 }}{% endif %}){% endif %}'

export default integration({
  name: 'circleci',
  title: 'CircleCI',
  category: 'build',
  summary: 'Results of workflows and jobs.',
  event: field('type'),
  signature: { kind: 'hmac_sha256', header: 'circleci-signature', prefix: 'v1=' },
  topic: '{{ project.name | default: "CircleCI" }}',
  events: {
    ping: { title: 'Set-up', text: 'CircleCI: the webhook works.' },
    'workflow-completed': {
      title: 'Workflows',
      requires: ['workflow.status'],
      text: `${mark('workflow.status')} Workflow {{ workflow.name | link: workflow.url }} of {{ project.name | one_line | bold }}: {{ workflow.status | one_line | bold }}${place}.`,
    },
    'job-completed': {
      title: 'Jobs',
      requires: ['job.status'],
      text: `${mark('job.status')} Job {{ job.name | link: workflow.url }} of {{ project.name | one_line | bold }}: {{ job.status | one_line | bold }}${place}.`,
    },
  },
})
