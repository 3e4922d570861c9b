import { header, integration } from '../src/integration.ts'

const who = '{{ sender.login | link: sender.html_url }}'
const repository = '{{ repository.full_name | link: repository.html_url }}'

const pull = '{{ "pull request #" | append: pull_request.number | link: pull_request.html_url }}'
const issue = '{{ "issue #" | append: issue.number | link: issue.html_url }}'
const discussion = '{{ "discussion #" | append: discussion.number | link: discussion.html_url }}'
const pullTopic = '{{ repository.name }} / PR #{{ pull_request.number }} {{ pull_request.title }}'
const issueTopic = '{{ repository.name }} / issue #{{ issue.number }} {{ issue.title }}'
const titled = (what: string, title: string) => `${what} {{ ${title} | one_line | bold }}`
const withBody = (line: string, body: string) =>
  `${line}{% if ${body} %}:\n{{ ${body} | shorten: 2000 | quote }}{% endif %}`

const pushed = `{% assign place = ref | branch %}{% if deleted %}${who} deleted {{ place | code }} in ${repository}.
{%- elsif commits.size == 0 %}${who} {% if created %}created{% elsif forced %}force-pushed{% else %}pushed{% endif %} {{ place | code }} in ${repository}.
{%- else %}${who} {% if forced %}force-pushed{% else %}pushed{% endif %} {{ commits.size | plural: "commit", "commits" | link: compare }} to {{ place | code }} in ${repository}.

{{ commits | commit_list: compare }}{% endif %}`

const run = (what: string) =>
  `{{ ${what}.name | link: ${what}.html_url }} of {{ ${what}.head_branch | code }} in ${repository}: {{ ${what}.conclusion | one_line | bold }}.`

const byAction = (actions: Record<string, string>) => ({ by: 'action', actions })
const plainActions = (line: (verb: string) => string, verbs: Record<string, string>) =>
  byAction(Object.fromEntries(Object.entries(verbs).map(([action, verb]) => [action, line(verb)])))

export default integration({
  name: 'github',
  title: 'GitHub',
  category: 'code',
  summary: 'Pushes, pull requests, issues, reviews, releases and failed workflows.',
  event: header('x-github-event'),
  deliveryId: 'x-github-delivery',
  signature: { kind: 'hmac_sha256', header: 'x-hub-signature-256', prefix: 'sha256=' },
  requires: ['sender.login'],
  topic: '{{ repository.name | default: organization.login }}',
  events: {
    ping: { title: 'Set-up', text: `GitHub is connected{% if repository %} to ${repository}{% endif %}.` },
    push: {
      title: 'Pushes',
      requires: ['ref', 'repository.full_name'],
      topic: '{{ repository.name }} / {{ ref | branch }}',
      text: pushed,
    },
    pull_request: {
      title: 'Pull requests',
      requires: ['pull_request.number'],
      topic: pullTopic,
      text: byAction({
        ...plainActions((verb) => `${who} ${verb} ${titled(pull, 'pull_request.title')}.`, {
          reopened: 'reopened',
          ready_for_review: 'marked as ready:',
          converted_to_draft: 'made a draft of',
        }).actions,
        opened: withBody(
          `${who} opened ${titled(pull, 'pull_request.title')} ({{ pull_request.head.ref | code }} → {{ pull_request.base.ref | code }})`,
          'pull_request.body',
        ),
        closed: `${who} {% if pull_request.merged %}merged{% else %}closed without merging{% endif %} ${titled(pull, 'pull_request.title')}.`,
        review_requested: `${who} asked {{ requested_reviewer.login | default: requested_team.name | one_line | bold }} to review ${titled(pull, 'pull_request.title')}.`,
        assigned: `${who} assigned {{ assignee.login | one_line | bold }} to ${titled(pull, 'pull_request.title')}.`,
      }),
    },
    pull_request_review: {
      title: 'Reviews',
      requires: ['review.state'],
      topic: pullTopic,
      text: byAction({
        submitted: withBody(
          `${who} {% if review.state == "approved" %}approved{% elsif review.state == "changes_requested" %}requested changes in{% else %}{{ "commented" | link: review.html_url }} on{% endif %} ${pull}`,
          'review.body',
        ),
        dismissed: `${who} dismissed a review of ${pull}.`,
      }),
    },
    pull_request_review_comment: {
      title: 'Comments in reviews',
      requires: ['comment.html_url'],
      topic: pullTopic,
      text: byAction({
        created: withBody(
          `${who} {{ "commented" | link: comment.html_url }} on {{ comment.path | code }} in ${pull}`,
          'comment.body',
        ),
      }),
    },
    issues: {
      title: 'Issues',
      requires: ['issue.number'],
      topic: issueTopic,
      text: byAction({
        ...plainActions((verb) => `${who} ${verb} ${titled(issue, 'issue.title')}.`, {
          closed: 'closed',
          reopened: 'reopened',
          deleted: 'deleted',
        }).actions,
        opened: withBody(`${who} opened ${titled(issue, 'issue.title')}`, 'issue.body'),
        assigned: `${who} assigned {{ assignee.login | one_line | bold }} to ${titled(issue, 'issue.title')}.`,
      }),
    },
    issue_comment: {
      title: 'Comments on issues and pull requests',
      requires: ['issue.number', 'comment.html_url'],
      topic:
        '{{ repository.name }} / {% if issue.pull_request %}PR{% else %}issue{% endif %} #{{ issue.number }} {{ issue.title }}',
      text: byAction({
        created: withBody(
          `${who} {{ "commented" | link: comment.html_url }} on {% if issue.pull_request %}{{ "pull request #" | append: issue.number | link: issue.html_url }}{% else %}${issue}{% endif %}`,
          'comment.body',
        ),
      }),
    },
    discussion: {
      title: 'Discussions',
      requires: ['discussion.number'],
      topic: '{{ repository.name }} / {{ discussion.title }}',
      text: byAction({
        created: withBody(`${who} started ${titled(discussion, 'discussion.title')}`, 'discussion.body'),
        answered: `${who} marked an answer in ${discussion}.`,
      }),
    },
    release: {
      title: 'Releases',
      requires: ['release.html_url'],
      topic: '{{ repository.name }} / releases',
      text: byAction({
        published: withBody(
          `${who} published {{ release.name | default: release.tag_name | link: release.html_url }} of ${repository}`,
          'release.body',
        ),
      }),
    },
    create: {
      title: 'New branches and tags',
      requires: ['ref_type'],
      text: `${who} created the {{ ref_type }} {{ ref | code }} in ${repository}.`,
    },
    delete: {
      title: 'Deleted branches and tags',
      requires: ['ref_type'],
      text: `${who} deleted the {{ ref_type }} {{ ref | code }} in ${repository}.`,
    },
    fork: {
      title: 'Forks',
      requires: ['forkee.full_name'],
      text: `${who} forked ${repository} to {{ forkee.full_name | link: forkee.html_url }}.`,
    },
    star: { title: 'Stars', text: byAction({ created: `${who} starred ${repository}.` }) },
    commit_comment: {
      title: 'Comments on commits',
      requires: ['comment.html_url'],
      text: byAction({
        created: withBody(
          `${who} {{ "commented" | link: comment.html_url }} on {{ comment.commit_id | sha | code }} in ${repository}`,
          'comment.body',
        ),
      }),
    },
    workflow_run: {
      title: 'Failed workflows',
      requires: ['workflow_run.name'],
      topic: '{{ repository.name }} / {{ workflow_run.head_branch }}',
      text: byAction({
        completed: `{% if workflow_run.conclusion == "failure" or workflow_run.conclusion == "timed_out" %}${run('workflow_run')}{% endif %}`,
      }),
    },
    deployment_status: {
      title: 'Deployments',
      requires: ['deployment_status.state'],
      text: byAction({
        created: `Deployment of {{ deployment.ref | code }} in ${repository} to {{ deployment.environment | one_line | bold }}: {{ deployment_status.state }}.`,
      }),
    },
    member: {
      title: 'Collaborators',
      text: byAction({ added: `${who} added {{ member.login | link: member.html_url }} to ${repository}.` }),
    },
    public: { title: 'Repository made public', text: `${who} made ${repository} public.` },
  },
})
