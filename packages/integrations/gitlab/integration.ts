import { header, integration } from '../src/integration.ts'

const who = '{{ user.name | default: user_name | default: user_username | one_line | bold }}'
const project = '{{ project.path_with_namespace | link: project.web_url }}'
const merge = '{{ "merge request !" | append: object_attributes.iid | link: object_attributes.url }}'
const issue = '{{ "issue #" | append: object_attributes.iid | link: object_attributes.url }}'
const title = '{{ object_attributes.title | one_line | bold }}'
const body =
  '{% if object_attributes.description %}:\n{{ object_attributes.description | shorten: 2000 | quote }}{% endif %}'
const about = (what: string, verbs: Record<string, string>) =>
  Object.fromEntries(Object.entries(verbs).map(([action, verb]) => [action, `${who} ${verb} ${what} ${title}.`]))

const pushed = `{% assign place = ref | branch %}{% if after == "0000000000000000000000000000000000000000" %}${who} deleted {{ place | code }} in ${project}.
{%- elsif commits.size == 0 %}${who} created {{ place | code }} in ${project}.
{%- else %}{% assign all = project.web_url | append: "/-/compare/" | append: before | append: "..." | append: after %}${who} pushed {{ total_commits_count | default: commits.size | plural: "commit", "commits" | link: all }} to {{ place | code }} in ${project}.

{{ commits | commit_list: all }}{% endif %}`

const noted = `${who} {{ "commented" | link: object_attributes.url }} on {% if merge_request %}{{ "merge request !" | append: merge_request.iid | link: merge_request.url }}{% elsif issue %}{{ "issue #" | append: issue.iid | link: issue.url }}{% elsif commit %}{{ commit.id | sha | link: commit.url }}{% else %}{{ object_attributes.noteable_type | default: "something" | downcase }}{% endif %}:
{{ object_attributes.note | shorten: 2000 | quote }}`

export default integration({
  name: 'gitlab',
  title: 'GitLab',
  category: 'code',
  summary: 'Pushes, merge requests, issues, comments, pipelines and releases.',
  event: header('x-gitlab-event'),
  deliveryId: 'x-gitlab-event-uuid',
  signature: { kind: 'token', header: 'x-gitlab-token' },
  requires: ['object_kind'],
  topic: '{{ project.name }}',
  events: {
    'Push Hook': {
      title: 'Pushes',
      requires: ['ref', 'project.name'],
      topic: '{{ project.name }} / {{ ref | branch }}',
      text: pushed,
    },
    'Tag Push Hook': {
      title: 'Tags',
      requires: ['ref', 'project.name'],
      topic: '{{ project.name }} / tags',
      text: `${who} {% if after == "0000000000000000000000000000000000000000" %}deleted{% else %}pushed{% endif %} the tag {{ ref | branch | code }} in ${project}.`,
    },
    'Merge Request Hook': {
      title: 'Merge requests',
      requires: ['object_attributes.iid', 'project.name'],
      topic: '{{ project.name }} / MR !{{ object_attributes.iid }} {{ object_attributes.title }}',
      text: {
        by: 'object_attributes.action',
        actions: {
          ...about(merge, {
            close: 'closed',
            reopen: 'reopened',
            merge: 'merged',
            approved: 'approved',
            unapproved: 'withdrew the approval of',
            approval: 'approved',
            unapproval: 'withdrew the approval of',
          }),
          open: `${who} opened ${merge} ${title} ({{ object_attributes.source_branch | code }} → {{ object_attributes.target_branch | code }})${body}`,
          update: `{% if object_attributes.oldrev %}${who} pushed to ${merge} ${title}.{% endif %}`,
        },
      },
    },
    'Issue Hook': {
      title: 'Issues',
      requires: ['object_attributes.iid', 'project.name'],
      topic: '{{ project.name }} / issue #{{ object_attributes.iid }} {{ object_attributes.title }}',
      text: {
        by: 'object_attributes.action',
        actions: {
          ...about(issue, { close: 'closed', reopen: 'reopened' }),
          open: `${who} opened ${issue} ${title}${body}`,
        },
      },
    },
    'Note Hook': {
      title: 'Comments',
      requires: ['object_attributes.note', 'project.name'],
      topic:
        '{{ project.name }} / {% if merge_request %}MR !{{ merge_request.iid }} {{ merge_request.title }}{% elsif issue %}issue #{{ issue.iid }} {{ issue.title }}{% else %}comments{% endif %}',
      text: noted,
    },
    'Pipeline Hook': {
      title: 'Finished pipelines',
      requires: ['object_attributes.id', 'project.name'],
      topic: '{{ project.name }} / {{ object_attributes.ref }}',
      text: {
        by: 'object_attributes.status',
        actions: Object.fromEntries(
          Object.entries({ success: 'passed', failed: 'failed', canceled: 'was canceled' }).map(([status, verb]) => [
            status,
            `{% assign url = project.web_url | append: "/-/pipelines/" | append: object_attributes.id %}{{ "Pipeline #" | append: object_attributes.id | link: url }} of {{ object_attributes.ref | code }} in ${project} **${verb}**.`,
          ]),
        ),
      },
    },
    'Job Hook': {
      title: 'Failed jobs',
      requires: ['build_name'],
      topic: '{{ project_name | split: " / " | last }} / {{ ref }}',
      text: {
        by: 'build_status',
        actions: {
          failed:
            '{% unless build_allow_failure %}Job {{ build_name | one_line | bold }} of {{ ref | code }} failed{% if build_failure_reason %}: {{ build_failure_reason }}{% endif %}.{% endunless %}',
        },
      },
    },
    'Wiki Page Hook': {
      title: 'Wiki pages',
      requires: ['object_attributes.title'],
      topic: '{{ project.name }} / wiki',
      text: {
        by: 'object_attributes.action',
        actions: Object.fromEntries(
          Object.entries({ create: 'created', update: 'updated', delete: 'deleted' }).map(([action, verb]) => [
            action,
            `${who} ${verb} {{ object_attributes.title | link: object_attributes.url }} in the wiki of ${project}.`,
          ]),
        ),
      },
    },
    'Deployment Hook': {
      title: 'Deployments',
      requires: ['status', 'project.name'],
      text:
        '{% if status != "running" and status != "created" %}Deployment of {{ short_sha | code }} in ' +
        project +
        ' to {{ environment | one_line | bold }}: {{ status }}.{% endif %}',
    },
    'Release Hook': {
      title: 'Releases',
      requires: ['tag', 'project.name'],
      topic: '{{ project.name }} / releases',
      text: {
        by: 'action',
        actions: {
          create: `{{ name | link: url }} of ${project} was released.{% if description %}\n{{ description | shorten: 2000 | quote }}{% endif %}`,
        },
      },
    },
  },
})
