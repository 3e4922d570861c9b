import * as accounts from './accounts.ts'
import * as alertWords from './alert-words.ts'
import * as auditLog from './audit-log.ts'
import * as avatars from './avatars.ts'
import * as bots from './bots.ts'
import * as calls from './calls.ts'
import * as channels from './channels.ts'
import * as conversations from './conversations.ts'
import * as deletion from './deletion.ts'
import * as domains from './domains.ts'
import * as drafts from './drafts.ts'
import * as editing from './editing.ts'
import * as emoji from './emoji.ts'
import * as dataExport from './export.ts'
import * as flags from './flags.ts'
import * as folders from './folders.ts'
import * as groups from './groups.ts'
import * as invitations from './invitations.ts'
import * as jobs from './jobs.ts'
import * as linkifiers from './linkifiers.ts'
import * as messages from './messages.ts'
import * as muting from './muting.ts'
import { isOperation, type Operation } from './operation.ts'
import * as organization from './organization.ts'
import * as ownSettings from './own-settings.ts'
import * as presence from './presence.ts'
import * as profileFields from './profile-fields.ts'
import * as push from './push.ts'
import * as queues from './queues.ts'
import * as reactions from './reactions.ts'
import * as realm from './realm.ts'
import * as rendering from './rendering.ts'
import * as scheduled from './scheduled.ts'
import * as secondFactors from './second-factors.ts'
import * as server from './server.ts'
import * as sessions from './sessions.ts'
import * as snippets from './snippets.ts'
import * as status from './status.ts'
import * as subscriptions from './subscriptions.ts'
import * as tokens from './tokens.ts'
import * as topics from './topics.ts'
import * as typing from './typing.ts'
import * as uploads from './uploads.ts'
import * as users from './users.ts'
import * as webhooks from './webhooks.ts'
import * as widgets from './widgets.ts'

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
  ...operationsIn(auditLog),
  ...operationsIn(calls),
  ...operationsIn(domains),
  ...operationsIn(bots),
  ...operationsIn(webhooks),
  ...operationsIn(channels),
  ...operationsIn(subscriptions),
  ...operationsIn(folders),
  ...operationsIn(linkifiers),
  ...operationsIn(profileFields),
  ...operationsIn(realm),
  ...operationsIn(organization),
  ...operationsIn(emoji),
  ...operationsIn(uploads),
  ...operationsIn(dataExport),
  ...operationsIn(jobs),
  ...operationsIn(groups),
}
export type Operations = typeof operations

export const operationList: Operation[] = Object.values(operations) as Operation[]
