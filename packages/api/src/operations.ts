import * as channelPins from './conversations/channel-pins.ts'
import * as channels from './conversations/channels.ts'
import * as conversations from './conversations/conversations.ts'
import * as defaultChannelGroups from './conversations/default-channel-groups.ts'
import * as deletion from './conversations/deletion.ts'
import * as drafts from './conversations/drafts.ts'
import * as editing from './conversations/editing.ts'
import * as flags from './conversations/flags.ts'
import * as linkPreviews from './conversations/link-previews.ts'
import * as messages from './conversations/messages.ts'
import * as muting from './conversations/muting.ts'
import * as openChannels from './conversations/open-channels.ts'
import * as reactions from './conversations/reactions.ts'
import * as reminders from './conversations/reminders.ts'
import * as rendering from './conversations/rendering.ts'
import * as reports from './conversations/reports.ts'
import * as scheduled from './conversations/scheduled.ts'
import * as subscriptions from './conversations/subscriptions.ts'
import * as topics from './conversations/topics.ts'
import * as typing from './conversations/typing.ts'
import * as uploads from './conversations/uploads.ts'
import * as widgets from './conversations/widgets.ts'
import * as actions from './delivery/actions.ts'
import * as bots from './delivery/bots.ts'
import * as calls from './delivery/calls.ts'
import * as hooks from './delivery/hooks.ts'
import * as notifications from './delivery/notifications.ts'
import * as push from './delivery/push.ts'
import * as queues from './delivery/queues.ts'
import * as webhooks from './delivery/webhooks.ts'
import * as accounts from './identity/accounts.ts'
import * as invitations from './identity/invitations.ts'
import * as secondFactors from './identity/second-factors.ts'
import * as sessions from './identity/sessions.ts'
import * as tokens from './identity/tokens.ts'
import * as auditLog from './operation/audit-log.ts'
import * as dataExport from './operation/export.ts'
import * as jobs from './operation/jobs.ts'
import * as retention from './operation/retention.ts'
import { isOperation, type Operation } from './operation.ts'
import * as domains from './organization/domains.ts'
import * as emoji from './organization/emoji.ts'
import * as folders from './organization/folders.ts'
import * as groups from './organization/groups.ts'
import * as linkifiers from './organization/linkifiers.ts'
import * as organization from './organization/organization.ts'
import * as realm from './organization/realm.ts'
import * as serverSettings from './organization/server-settings.ts'
import * as alertWords from './people/alert-words.ts'
import * as avatars from './people/avatars.ts'
import * as ownSettings from './people/own-settings.ts'
import * as presence from './people/presence.ts'
import * as profileFields from './people/profile-fields.ts'
import * as snippets from './people/snippets.ts'
import * as status from './people/status.ts'
import * as users from './people/users.ts'
import * as server from './server.ts'

type OperationsIn<Module> = {
  [Name in keyof Module as Module[Name] extends { pathParams: object } ? Name : never]: Module[Name]
}

/** The operations among the exports of a file, by name. */
function operationsIn<Module extends object>(module: Module): OperationsIn<Module> {
  return Object.fromEntries(Object.entries(module).filter(([, value]) => isOperation(value))) as OperationsIn<Module>
}

/** All operations of the API by name: the source of routes, OpenAPI, docs and the typed client. */
export const operations = {
  ...operationsIn(server),
  ...operationsIn(queues),
  ...operationsIn(sessions),
  ...operationsIn(tokens),
  ...operationsIn(secondFactors),
  ...operationsIn(messages),
  ...operationsIn(openChannels),
  ...operationsIn(conversations),
  ...operationsIn(editing),
  ...operationsIn(rendering),
  ...operationsIn(deletion),
  ...operationsIn(reactions),
  ...operationsIn(flags),
  ...operationsIn(topics),
  ...operationsIn(snippets),
  ...operationsIn(drafts),
  ...operationsIn(scheduled),
  ...operationsIn(channelPins),
  ...operationsIn(reminders),
  ...operationsIn(linkPreviews),
  ...operationsIn(reports),
  ...operationsIn(widgets),
  ...operationsIn(typing),
  ...operationsIn(users),
  ...operationsIn(avatars),
  ...operationsIn(accounts),
  ...operationsIn(invitations),
  ...operationsIn(ownSettings),
  ...operationsIn(muting),
  ...operationsIn(alertWords),
  ...operationsIn(status),
  ...operationsIn(presence),
  ...operationsIn(push),
  ...operationsIn(notifications),
  ...operationsIn(auditLog),
  ...operationsIn(retention),
  ...operationsIn(calls),
  ...operationsIn(domains),
  ...operationsIn(actions),
  ...operationsIn(bots),
  ...operationsIn(webhooks),
  ...operationsIn(hooks),
  ...operationsIn(channels),
  ...operationsIn(defaultChannelGroups),
  ...operationsIn(subscriptions),
  ...operationsIn(folders),
  ...operationsIn(linkifiers),
  ...operationsIn(profileFields),
  ...operationsIn(realm),
  ...operationsIn(organization),
  ...operationsIn(serverSettings),
  ...operationsIn(emoji),
  ...operationsIn(uploads),
  ...operationsIn(dataExport),
  ...operationsIn(jobs),
  ...operationsIn(groups),
}
export type Operations = typeof operations

export const operationList: Operation[] = Object.values(operations) as Operation[]
