import { integration } from '../src/integration.ts'

export default integration({
  name: 'travis',
  title: 'Travis CI',
  category: 'build',
  summary: 'Results of builds, in one message each.',
  requires: ['number', 'repository.name'],
  topic: '{{ repository.name }} / {{ branch }}',
  keys: { update: '{{ id }}' },
  events: {
    message: {
      title: 'Builds',
      text: `{% if status_message == "Passed" or status_message == "Fixed" %}:check:{% elsif status_message == "Pending" %}:working_on_it:{% else %}:warning:{% endif %} {{ "build #" | append: number | link: build_url }} of {{ branch | code }} in {{ repository.name | one_line | bold }}: {{ status_message | one_line | bold }}.{% if message %}
* {{ message | first_line | shorten: 200 }} ({{ commit | sha | link: compare_url }}){% if author_name %} by {{ author_name | one_line }}{% endif %}{% endif %}`,
    },
  },
})
