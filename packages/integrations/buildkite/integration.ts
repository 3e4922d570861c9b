import { header, integration } from '../src/integration.ts'

const build =
  '{{ "Build #" | append: build.number | link: build.web_url }} of {{ pipeline.name | one_line | bold }} on {{ build.branch | code }}'
const message = '{% if build.message %}: {{ build.message | first_line | shorten: 200 }}{% endif %}'
const builds = { requires: ['build.number', 'pipeline.name'], keys: { update: '{{ build.id }}' } }
const state =
  '{% if build.state == "passed" %}:check:{% elsif build.state == "failed" %}:warning:{% else %}:stop_sign:{% endif %}'

export default integration({
  name: 'buildkite',
  title: 'Buildkite',
  category: 'build',
  summary: 'Builds from the queue to the result, and failed jobs.',
  event: header('x-buildkite-event'),
  signature: { kind: 'token', header: 'x-buildkite-token' },
  topic: '{{ pipeline.name | default: "Buildkite" }}',
  events: {
    ping: { title: 'Set-up', text: 'Buildkite: the webhook works.' },
    'build.scheduled': { title: 'Queued builds', ...builds, text: `${build} waits${message}` },
    'build.running': { title: 'Started builds', ...builds, text: `:working_on_it: ${build} runs${message}` },
    'build.failing': { title: 'Builds that will fail', ...builds, text: `:warning: ${build} is failing${message}` },
    'build.finished': {
      title: 'Results of builds',
      ...builds,
      text: `${state} ${build}: {% if build.blocked %}**blocked**{% else %}{{ build.state | one_line | bold }}{% endif %}${message}`,
    },
    'job.finished': {
      title: 'Failed jobs',
      requires: ['job.state'],
      text: {
        by: 'job.state',
        actions: {
          failed: `:warning: Job {{ job.name | default: job.command | link: job.web_url }} of ${build} failed.`,
        },
      },
    },
  },
})
