import { isDeepStrictEqual } from 'node:util'
import { roles } from '@parley/api/common'
import type { Bot, BotChange } from '@parley/api/delivery/bots'
import { sql } from 'kysely'
import { fakeDomain, type Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { many } from '../../platform/db/query.ts'
import { botObject, isResponsibleFor, sealed, type Viewer } from './objects.ts'
import { type BotRow, readBots } from './queries.ts'

/** The bot as the viewer sees it, with secrets still sealed. Undefined if the viewer does not manage the bot. */
function seenBy(viewer: Viewer, bot: BotRow, realm: Realm): Bot | undefined {
  return isResponsibleFor(viewer, bot) ? botObject(bot, viewer, fakeDomain(realm), sealed) : undefined
}

export async function emitNewBot(tx: Tx, realm: Realm, bot: BotRow): Promise<void> {
  for (const [seen, users] of await views(tx, realm, bot))
    tx.emit({ type: 'realm_bot', op: 'add', bot: seen }, { users })
}

/** Emits changed fields, to each viewer with the values that they may see. */
export async function emitBotUpdate(tx: Tx, realm: Realm, bot: BotRow, fields: (keyof Bot)[]): Promise<void> {
  if (fields.length === 0) return
  for (const [seen, users] of await views(tx, realm, bot))
    tx.emit({ type: 'realm_bot', op: 'update', bot: pick(seen, fields) }, { users })
}

/** Emits changes that were made to the bot's user account. */
export async function emitBotAccountUpdate(
  tx: Tx,
  realm: Realm,
  botId: number,
  fields: (keyof Bot)[] = ['full_name', 'email', 'avatar_url'],
): Promise<void> {
  for (const bot of await readBots(tx.db, tx.realmId, sql`u.id = ${botId}`)) await emitBotUpdate(tx, realm, bot, fields)
}

/** Emits updates for bots whose default channel was renamed or changed its visibility. */
export async function emitDefaultChannels(tx: Tx, realm: Realm, channelId: number): Promise<void> {
  const defaults = {
    default_sending_stream: sql.ref('b.default_sending_channel_id'),
    default_events_register_stream: sql.ref('b.default_events_channel_id'),
  }
  for (const [field, column] of Object.entries(defaults))
    for (const bot of await readBots(tx.db, tx.realmId, sql`${column} = ${channelId}`))
      await emitBotUpdate(tx, realm, bot, [field as keyof typeof defaults])
}

/** Emits updates for bots that were deactivated or reactivated together with their owner. */
export async function emitBotActivity(tx: Tx, realm: Realm, botIds: number[]): Promise<void> {
  if (botIds.length === 0) return
  for (const bot of await readBots(tx.db, tx.realmId, sql`u.id = any(${botIds}::bigint[])`))
    await emitBotUpdate(tx, realm, bot, ['is_active'])
}

/** Emits a change of owner to the previous owner, the new owner and the administrators. */
export async function emitNewOwner(tx: Tx, realm: Realm, before: BotRow, bot: BotRow): Promise<void> {
  for (const viewer of await viewersOf(tx, [before.bot_owner_id, bot.bot_owner_id]))
    emitDifference(tx, viewer.id, seenBy(viewer, before, realm), seenBy(viewer, bot, realm))
}

/** Emits the bots that a user sees or no longer sees because of a new role. Call it after the change. */
export async function emitBotsByRole(tx: Tx, realm: Realm, before: Viewer, role: number): Promise<void> {
  if (before.bot_type !== null) return emitBotRole(tx, realm, before)
  const after = { ...before, role }
  for (const bot of await readBots(tx.db, tx.realmId))
    emitDifference(tx, before.id, seenBy(before, bot, realm), seenBy(after, bot, realm))
}

/** The role of a bot decides who may see its API key. */
async function emitBotRole(tx: Tx, realm: Realm, { id, role }: Viewer): Promise<void> {
  const [bot] = await readBots(tx.db, tx.realmId, sql`u.id = ${id}`)
  if (!bot) return
  for (const viewer of await viewersOf(tx, [bot.bot_owner_id]))
    emitDifference(tx, viewer.id, seenBy(viewer, { ...bot, role }, realm), seenBy(viewer, bot, realm))
}

function emitDifference(tx: Tx, userId: number, before: Bot | undefined, after: Bot | undefined): void {
  const to = { users: [userId] }
  if (!before && after) tx.emit({ type: 'realm_bot', op: 'add', bot: after }, to)
  if (before && !after) tx.emit({ type: 'realm_bot', op: 'delete', bot: { user_id: before.user_id } }, to)
  if (!before || !after) return
  const changed = (Object.keys(after) as (keyof Bot)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  )
  if (changed.length > 0) tx.emit({ type: 'realm_bot', op: 'update', bot: pick(after, changed) }, to)
}

/** The bot as its managers see it, grouped by identical views, because most see the same. */
async function views(tx: Tx, realm: Realm, bot: BotRow): Promise<[Bot, number[]][]> {
  const byForm = new Map<string, [Bot, number[]]>()
  for (const viewer of await viewersOf(tx, [bot.bot_owner_id])) {
    const seen = seenBy(viewer, bot, realm)!
    const form = JSON.stringify(seen)
    const known = byForm.get(form)
    if (known) known[1].push(viewer.id)
    else byForm.set(form, [seen, [viewer.id]])
  }
  return [...byForm.values()]
}

/** Human administrators and the given owners. */
async function viewersOf(tx: Tx, ownerIds: (number | null)[]): Promise<Viewer[]> {
  return many<Viewer>(tx.db)`
    select id, role, bot_type from users
     where realm_id = ${tx.realmId} and is_active
       and (id = any(${ownerIds}::bigint[]) or (role <= ${roles.admin} and bot_type is null))
     order by id`
}

function pick(bot: Bot, fields: (keyof Bot)[]): BotChange {
  const picked = Object.fromEntries(fields.map((field) => [field, bot[field]]))
  return { user_id: bot.user_id, ...picked }
}
