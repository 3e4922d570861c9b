import { header, integration } from '../src/integration.ts'

const who = '{{ sender.login | default: "Someone" | one_line | bold }}'
const repository = '{{ repository.full_name | link: repository.html_url }}'
const issue = '{{ "issue #" | append: issue.number | link: issue.html_url }} {{ issue.title | one_line | bold }}'
const pull =
  '{{ "pull request #" | append: pull_request.number | link: pull_request.html_url }} {{ pull_request.title | one_line | bold }}'
const issueTopic = '{{ repository.name }} / #{{ issue.number }} {{ issue.title }}'
const pullTopic = '{{ repository.name }} / #{{ pull_request.number }} {{ pull_request.title }}'
const withText = (line: string, text: string) =>
  `${line}{% if ${text} and ${text} != "" %}:\n{{ ${text} | shorten: 2000 | quote }}{% endif %}`
const review = (title: string, verb: string) => ({
  title,
  requires: ['pull_request.number'],
  topic: pullTopic,
  text: withText(`${who} ${verb} ${pull}`, 'review.content'),
})

export default integration({
  name: 'gitea',
  title: 'Gitea',
  category: 'code',
  summary: 'Pushes, pull requests, issues, reviews and releases.',
  event: header('x-gitea-event'),
  deliveryId: 'x-gitea-delivery',
  signature: { kind: 'hmac_sha256', header: 'x-gitea-signature' },
  requires: ['repository.full_name'],
  topic: '{{ repository.name }}',
  events: {
    push: {
      title: 'Pushes',
      requires: ['ref', 'commits'],
      topic: '{{ repository.name }} / {{ ref | branch }}',
      text: `${who} pushed {{ commits.size | plural: "commit", "commits" | link: compare_url }} to {{ ref | branch | code }} in ${repository}.\n\n{{ commits | commit_list: compare_url }}`,
    },
    create: {
      title: 'New branches and tags',
      requires: ['ref'],
      text: `${who} created the {{ ref_type }} {{ ref | branch | code }} in ${repository}.`,
    },
    delete: {
      title: 'Deleted branches and tags',
      requires: ['ref'],
      text: `${who} deleted the {{ ref_type }} {{ ref | branch | code }} in ${repository}.`,
    },
    fork: { title: 'Forks', text: `${who} forked {{ forkee.full_name | link: forkee.html_url }} as ${repository}.` },
    issues: {
      title: 'Issues',
      requires: ['issue.number'],
      topic: issueTopic,
      text: {
        by: 'action',
        actions: {
          opened: withText(`${who} opened ${issue}`, 'issue.body'),
          closed: `${who} closed ${issue}.`,
          reopened: `${who} reopened ${issue}.`,
          assigned: `${who} assigned {{ issue.assignee.login | one_line | bold }} to ${issue}.`,
        },
      },
    },
    issue_comment: {
      title: 'Comments',
      requires: ['comment.html_url', 'issue.number'],
      topic: issueTopic,
      text: {
        by: 'action',
        actions: { created: withText(`${who} {{ "commented" | link: comment.html_url }} on ${issue}`, 'comment.body') },
      },
    },
    pull_request: {
      title: 'Pull requests',
      requires: ['pull_request.number'],
      topic: pullTopic,
      text: {
        by: 'action',
        actions: {
          opened: withText(
            `${who} opened ${pull} ({{ pull_request.head.ref | code }} → {{ pull_request.base.ref | code }})`,
            'pull_request.body',
          ),
          closed: `${who} {% if pull_request.merged %}merged{% else %}closed without merging{% endif %} ${pull}.`,
          reopened: `${who} reopened ${pull}.`,
          assigned: `${who} assigned {{ pull_request.assignee.login | one_line | bold }} to ${pull}.`,
        },
      },
    },
    pull_request_approved: review('Approvals', 'approved'),
    pull_request_rejected: review('Requests for changes', 'requested changes in'),
    pull_request_comment: review('Reviews without a decision', 'reviewed'),
    release: {
      title: 'Releases',
      requires: ['release.tag_name'],
      text: {
        by: 'action',
        actions: {
          published: withText(
            `${who} released {{ release.name | default: release.tag_name | link: release.html_url }} of ${repository}`,
            'release.body',
          ),
        },
      },
    },
    repository: {
      title: 'Repositories',
      text: {
        by: 'action',
        actions: {
          created: `${who} created ${repository}.`,
          deleted: `${who} deleted {{ repository.full_name | one_line | bold }}.`,
        },
      },
    },
  },
})
