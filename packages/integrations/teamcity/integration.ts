import { field, integration } from '../src/integration.ts'

const build = '{{ build.buildType.name | default: "Build" | append: " #" | append: build.number | link: build.webUrl }}'
const branch = '{% if build.branchName %} of {{ build.branchName | code }}{% endif %}'

export default integration({
  name: 'teamcity',
  title: 'TeamCity',
  category: 'build',
  summary: 'Builds that begin, finish or are interrupted, in one message each.',
  event: field('eventType'),
  requires: ['eventType', 'payload'],
  topic: '{{ build.buildType.projectName | default: "TeamCity" }} / {{ build.buildType.name }}',
  keys: { update: '{{ build.id }}' },
  transform: (payload) => ({ build: payload?.payload }),
  events: {
    BUILD_STARTED: { title: 'Builds that begin', text: `:working_on_it: ${build}${branch} runs.` },
    BUILD_FINISHED: {
      title: 'Results',
      text: `{% if build.status == "SUCCESS" %}:check:{% else %}:warning:{% endif %} ${build}${branch}: {{ build.statusText | default: build.status | one_line | shorten: 500 | bold }}.`,
    },
    BUILD_INTERRUPTED: { title: 'Interrupted builds', text: `${build}${branch} was interrupted.` },
  },
})
