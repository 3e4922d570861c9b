import type { Context } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import type { Group } from '../groups/access.ts'
import type { MembershipChange } from '../groups/membership.ts'
import { type Notice, sendNotices } from '../messages/send/notices.ts'
import type { Caller } from '../users/caller.ts'
import { findUsers, type Person } from '../users/find-users.ts'
import { findSystemBot } from '../users/system-bots.ts'

/** Beyond this many people nobody is told: it would be a flood. */
const mostNotices = 100

/** Tells people that somebody else has put them into a group or taken them out of it. */
export async function sendGroupNotices(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  actor: Caller,
  group: Group,
  change: MembershipChange,
): Promise<void> {
  const people = await findUsers(tx.db, actor.state, [...change.add, ...change.delete])
  const told = people.filter(({ id, is_active, bot_type }) => id !== actor.id && is_active && bot_type === null)
  if (told.length === 0 || told.length > mostNotices) return
  const sender = await findSystemBot(tx.db, actor.realm, 'notification')
  const added = new Set(change.add)
  await sendNotices(
    tx,
    ctx,
    actor.realm,
    told.map((person) => notice(sender, person, actor, group, added.has(person.id))),
  )
}

function notice(sender: Person, person: Person, actor: Caller, group: Group, isAdded: boolean): Notice {
  const what = isAdded ? 'added you to' : 'removed you from'
  return {
    sender,
    destination: { kind: 'direct', people: [sender, person].sort((a, b) => a.id - b.id) },
    content: `@_**${actor.full_name}|${actor.id}** ${what} the group @_*${group.name}*.`,
    refersTo: { users: [actor], groups: [group] },
  }
}
