import type { Caller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import type { Group } from '../../organization/groups/access.ts'
import type { MembershipChange } from '../../organization/groups/membership.ts'
import { type FoundUser, findUsers } from '../../people/users/find-users.ts'
import { findSystemBot } from '../../people/users/system-bots.ts'
import { type Notice, sendNotices } from '../messages/send/notices.ts'

/** If more users than this are affected, none of them gets a notice: it would be a flood. */
const mostNotices = 100

/** Notifies users that the actor added to or removed from a group. */
export async function sendGroupNotices(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  actor: Caller,
  group: Group,
  change: MembershipChange,
): Promise<void> {
  const users = await findUsers(tx.db, actor.state, [...change.add, ...change.delete])
  const recipients = users.filter(({ id, is_active, bot_type }) => id !== actor.id && is_active && bot_type === null)
  if (recipients.length === 0 || recipients.length > mostNotices) return
  const sender = await findSystemBot(tx.db, actor.realm, 'notification')
  const added = new Set(change.add)
  await sendNotices(
    tx,
    ctx,
    actor.realm,
    recipients.map((recipient) => notice(sender, recipient, actor, group, added.has(recipient.id))),
  )
}

function notice(sender: FoundUser, recipient: FoundUser, actor: Caller, group: Group, isAdded: boolean): Notice {
  const action = isAdded ? 'added you to' : 'removed you from'
  return {
    sender,
    destination: { kind: 'direct', participants: [sender, recipient].sort((a, b) => a.id - b.id) },
    content: `@_**${actor.full_name}|${actor.id}** ${action} the group @_*${group.name}*.`,
    refersTo: { users: [actor], groups: [group] },
  }
}
