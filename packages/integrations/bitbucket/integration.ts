import { header, integration } from '../src/integration.ts'

const who = '{{ actor.display_name | link: actor.links.html.href }}'
const repository = '{{ repository.full_name | link: repository.links.html.href }}'
const pull =
  '{{ "pull request #" | append: pullrequest.id | link: pullrequest.links.html.href }} {{ pullrequest.title | one_line | bold }}'
const issue = '{{ "issue #" | append: issue.id | link: issue.links.html.href }} {{ issue.title | one_line | bold }}'
const comment = '{{ "commented" | link: comment.links.html.href }}'
const withText = (line: string, text: string) =>
  `${line}{% if ${text} and ${text} != "" %}:\n{{ ${text} | shorten: 2000 | quote }}{% endif %}`
const pulls = {
  requires: ['pullrequest.id'],
  topic: '{{ repository.name }} / #{{ pullrequest.id }} {{ pullrequest.title }}',
}
const issues = { requires: ['issue.id'], topic: '{{ repository.name }} / #{{ issue.id }} {{ issue.title }}' }
const status = {
  requires: ['commit_status.state'],
  text: `{% if commit_status.state == "SUCCESSFUL" %}:check:{% elsif commit_status.state == "INPROGRESS" %}:working_on_it:{% else %}:warning:{% endif %} {{ commit_status.name | link: commit_status.url }} of {{ commit_status.commit.hash | sha | link: commit_status.commit.links.html.href }} in ${repository}: {{ commit_status.state | downcase | replace: "inprogress", "in progress" | one_line | bold }}.`,
}

export default integration({
  name: 'bitbucket',
  title: 'Bitbucket',
  category: 'code',
  summary: 'Pushes, pull requests, issues, comments and build results.',
  event: header('x-event-key'),
  deliveryId: 'x-request-uuid',
  signature: { kind: 'hmac_sha256', header: 'x-hub-signature', prefix: 'sha256=' },
  requires: ['repository.full_name', 'actor'],
  topic: '{{ repository.name }}',
  events: {
    'repo:push': {
      title: 'Pushes',
      requires: ['push.changes'],
      text: `{% for change in push.changes limit: 10 %}{% assign place = change.new.name | default: change.old.name %}${who} {% if change.closed %}deleted{% elsif change.created %}created{% elsif change.forced %}force-pushed{% else %}pushed{% endif %} {{ place | code }} in ${repository}{% if change.links.html.href %} ({{ "changes" | link: change.links.html.href }}){% endif %}.
{% for commit in change.commits limit: 10 %}* {{ commit.message | first_line | shorten: 200 }} ({{ commit.hash | sha | link: commit.links.html.href }})
{% endfor %}
{% endfor %}`,
    },
    'repo:fork': {
      title: 'Forks',
      text: `${who} forked ${repository} as {{ fork.full_name | link: fork.links.html.href }}.`,
    },
    'repo:commit_comment_created': {
      title: 'Comments on commits',
      requires: ['comment.content'],
      text: withText(`${who} ${comment} on {{ commit.hash | sha | code }} in ${repository}`, 'comment.content.raw'),
    },
    'repo:commit_status_created': { title: 'Builds that begin', ...status },
    'repo:commit_status_updated': { title: 'Results of builds', ...status },
    'pullrequest:created': {
      title: 'New pull requests',
      ...pulls,
      text: withText(
        `${who} opened ${pull} ({{ pullrequest.source.branch.name | code }} → {{ pullrequest.destination.branch.name | code }})`,
        'pullrequest.description',
      ),
    },
    'pullrequest:updated': { title: 'Changed pull requests', ...pulls, text: `${who} updated ${pull}.` },
    'pullrequest:approved': { title: 'Approvals', ...pulls, text: `${who} approved ${pull}.` },
    'pullrequest:unapproved': {
      title: 'Withdrawn approvals',
      ...pulls,
      text: `${who} withdrew the approval of ${pull}.`,
    },
    'pullrequest:changes_request_created': {
      title: 'Requests for changes',
      ...pulls,
      text: `${who} requested changes in ${pull}.`,
    },
    'pullrequest:fulfilled': { title: 'Merged pull requests', ...pulls, text: `${who} merged ${pull}.` },
    'pullrequest:rejected': {
      title: 'Declined pull requests',
      ...pulls,
      text: withText(`${who} declined ${pull}`, 'pullrequest.reason'),
    },
    'pullrequest:comment_created': {
      title: 'Comments on pull requests',
      ...pulls,
      text: withText(`${who} ${comment} on ${pull}`, 'comment.content.raw'),
    },
    'issue:created': { title: 'New issues', ...issues, text: withText(`${who} opened ${issue}`, 'issue.content.raw') },
    'issue:updated': {
      title: 'Changed issues',
      ...issues,
      text: `${who} updated ${issue}{% if changes.status %}: {{ changes.status.old }} → {{ changes.status.new }}{% endif %}.`,
    },
    'issue:comment_created': {
      title: 'Comments on issues',
      ...issues,
      text: withText(`${who} ${comment} on ${issue}`, 'comment.content.raw'),
    },
  },
})
