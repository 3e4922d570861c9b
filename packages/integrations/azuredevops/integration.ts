import { field, integration } from '../src/integration.ts'

const pull =
  '{{ "pull request " | append: resource.pullRequestId | link: resource._links.web.href }} {{ resource.title | one_line | bold }}'
const pullTopic = '{{ resource.repository.name }} / {{ resource.pullRequestId }} {{ resource.title }}'
const pulls = { requires: ['resource.pullRequestId'], topic: pullTopic }
const item = (fields: string) =>
  `{% assign number = resource.workItemId | default: resource.id %}{{ ${fields}["System.WorkItemType"] | default: "Work item" | append: " #" | append: number | link: resource._links.html.href }} {{ ${fields}["System.Title"] | one_line | bold }}`
const itemTopic = (fields: string) => `{{ ${fields}["System.TeamProject"] | default: "Work items" }}`
const fields = 'resource.fields'
const revised = 'resource.revision.fields'

export default integration({
  name: 'azuredevops',
  title: 'Azure DevOps',
  category: 'code',
  summary: 'Pushes, pull requests, builds and work items.',
  event: field('eventType'),
  requires: ['resource'],
  topic: '{{ resource.repository.name | default: "Azure DevOps" }}',
  events: {
    'git.push': {
      title: 'Pushes',
      requires: ['resource.refUpdates'],
      topic: '{{ resource.repository.name }} / {{ resource.refUpdates[0].name | branch }}',
      text: `{{ resource.pushedBy.displayName | one_line | bold }} pushed to {{ resource.refUpdates[0].name | branch | code }} in {{ resource.repository.name | link: resource.repository.remoteUrl }}.

{% for commit in resource.commits limit: 10 %}* {{ commit.comment | first_line | shorten: 200 }} ({{ commit.commitId | sha | link: commit.url }})
{% endfor %}`,
    },
    'git.pullrequest.created': {
      title: 'New pull requests',
      ...pulls,
      text: `{{ resource.createdBy.displayName | one_line | bold }} opened ${pull} ({{ resource.sourceRefName | branch | code }} → {{ resource.targetRefName | branch | code }}){% if resource.description %}:\n{{ resource.description | shorten: 2000 | quote }}{% endif %}`,
    },
    'git.pullrequest.updated': {
      title: 'Changed pull requests',
      ...pulls,
      text: `Changed: ${pull} is {{ resource.status | one_line | bold }}.`,
    },
    'git.pullrequest.merged': {
      title: 'Merged pull requests',
      ...pulls,
      text: `Merge of ${pull}: {{ resource.mergeStatus | default: resource.status | one_line | bold }}.`,
    },
    'build.complete': {
      title: 'Builds',
      requires: ['resource.buildNumber'],
      topic: '{{ resource.definition.name | default: "Builds" }}',
      text: '{% assign result = resource.result | default: resource.status %}{% if result == "succeeded" %}:check:{% else %}:warning:{% endif %} Build {{ resource.buildNumber | link: resource._links.web.href }} of {{ resource.definition.name | one_line | bold }}: {{ result | one_line | bold }}.',
    },
    'workitem.created': {
      title: 'New work items',
      requires: [fields],
      topic: itemTopic(fields),
      text: `New: ${item(fields)}.`,
    },
    'workitem.updated': {
      title: 'Changed work items',
      requires: [revised],
      topic: itemTopic(revised),
      text: `Changed: ${item(revised)}, now {{ ${revised}["System.State"] | one_line | bold }}.`,
    },
    'workitem.commented': {
      title: 'Comments',
      requires: [fields],
      topic: itemTopic(fields),
      text: `Comment on ${item(fields)}:\n{{ ${fields}["System.History"] | strip_html | shorten: 2000 | quote }}`,
    },
  },
})
