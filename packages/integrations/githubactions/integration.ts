import { header, integration } from '../src/integration.ts'

const run = '{{ workflow_run.name | append: " #" | append: workflow_run.run_number | link: workflow_run.html_url }}'
const job = '{{ workflow_job.name | link: workflow_job.html_url }}'
const mark = (path: string) =>
  `{% if ${path} == "success" %}:check:{% elsif ${path} == "cancelled" or ${path} == "skipped" %}:prohibited:{% else %}:warning:{% endif %}`

export default integration({
  name: 'githubactions',
  title: 'GitHub Actions',
  category: 'build',
  summary: 'Workflows that run, in one message each, and jobs that fail.',
  event: header('x-github-event'),
  deliveryId: 'x-github-delivery',
  signature: { kind: 'hmac_sha256', header: 'x-hub-signature-256', prefix: 'sha256=' },
  requires: ['repository.full_name'],
  topic: '{{ repository.name }} / {{ workflow_run.head_branch | default: workflow_job.head_branch }}',
  events: {
    workflow_run: {
      title: 'Workflows',
      requires: ['workflow_run.id'],
      keys: { update: '{{ workflow_run.id }}' },
      text: {
        by: 'action',
        actions: {
          requested: `:working_on_it: ${run} of {{ workflow_run.head_sha | sha | code }} waits.`,
          in_progress: `:working_on_it: ${run} of {{ workflow_run.head_sha | sha | code }} runs.`,
          completed: `${mark('workflow_run.conclusion')} ${run} of {{ workflow_run.head_sha | sha | code }}: {{ workflow_run.conclusion | replace: "_", " " | one_line | bold }}.`,
        },
      },
    },
    workflow_job: {
      title: 'Jobs that fail',
      requires: ['workflow_job.id'],
      text: {
        by: 'workflow_job.conclusion',
        actions: { failure: `:warning: ${job} failed.`, timed_out: `:warning: ${job} timed out.` },
      },
    },
  },
})
