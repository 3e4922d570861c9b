import { field, integration } from '../src/integration.ts'

const build =
  '{{ "Build #" | append: build.number | link: build.full_url }} of {{ display_name | default: name | one_line | bold }}'
const change =
  '{% if build.scm.commit %} ({% if build.scm.branch %}{{ build.scm.branch | code }} {% endif %}{{ build.scm.commit | sha | code }}){% endif %}'
const mark =
  '{% if build.status == "SUCCESS" %}:check:{% elsif build.status == "ABORTED" %}:stop_sign:{% else %}:warning:{% endif %}'

export default integration({
  name: 'jenkins',
  title: 'Jenkins',
  category: 'build',
  summary: 'Builds that begin and end, by the Notification plugin.',
  event: field('build.phase'),
  requires: ['name', 'build.number'],
  topic: '{{ display_name | default: name }}',
  keys: { update: '{{ build.full_url }}' },
  events: {
    QUEUED: { title: 'Queued builds', text: `${build} waits${change}.` },
    STARTED: { title: 'Started builds', text: `:working_on_it: ${build} runs${change}.` },
    COMPLETED: {
      title: 'Completed builds',
      requires: ['build.status'],
      text: `${mark} ${build}: {{ build.status | downcase | one_line | bold }}${change}.`,
    },
    FINALIZED: {
      title: 'Finalized builds',
      requires: ['build.status'],
      text: `${mark} ${build}: {{ build.status | downcase | one_line | bold }}${change}.`,
    },
  },
})
