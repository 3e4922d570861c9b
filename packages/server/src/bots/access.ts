import { botTypes } from '@parley/api/bots'
import { roles } from '@parley/api/common'
import { storageLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import { type Channel, canReadContent, findVisibleChannel } from '../channels/access.ts'
import type { Tx } from '../events/transact.ts'
import { isAdmin, mayInRealm } from '../groups/permission.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { foldCase } from '../platform/text.ts'
import { reloadCaller } from '../users/authenticate.ts'
import type { Caller } from '../users/caller.ts'
import { accessName } from '../users/name-rules.ts'
import { exceeds } from './objects.ts'
import { type BotRow, readBot } from './queries.ts'

class NotPermitted extends ApiError {
  constructor() {
    super('Insufficient permission')
  }
}

/** A bot that the caller looks after. Everybody may know that a bot exists, so that this need not hide it. */
export async function accessBot(db: Db, caller: Caller, id: number): Promise<BotRow> {
  const bot = await readBot(db, caller.realm_id, id)
  if (!bot) throw new ApiError('No such bot')
  const isOwn = bot.bot_owner_id === caller.id
  if (!isOwn && !isAdmin(caller)) throw new NotPermitted()
  if (exceeds(bot, caller) && !(isOwn && !bot.can_create_users)) throw new NotPermitted()
  return bot
}

/** The same for one who will change it: it, the caller and a new owner stay as they are until the transaction ends. */
export async function accessBotToChange(
  tx: Tx,
  caller: Caller,
  id: number,
  newOwnerId: number | null = null,
): Promise<{ actor: Caller; bot: BotRow }> {
  await sql`select 1 from users where realm_id = ${tx.realmId} and id in (${caller.id}, ${id}, ${newOwnerId}::bigint)
             order by id for no key update`.execute(tx.db)
  const actor = await reloadCaller(tx.db, caller)
  return { actor, bot: await accessBot(tx.db, actor, id) }
}

export function checkMayCreate(caller: Caller, botType: number): void {
  if (mayInRealm(caller, caller.realm, 'can_create_bots_group')) return
  if (botType === botTypes.incomingWebhook && mayInRealm(caller, caller.realm, 'can_create_write_only_bots_group'))
    return
  throw new NotPermitted()
}

/** Throws if one more active bot would be too many for its owner. The realm must be locked. */
export async function checkBotLimits(tx: Tx, ownerId: number): Promise<void> {
  const { rows } = await sql<{ active: number; total: number }>`
    select count(*) filter (where is_active) as active, count(*) as total from users
     where realm_id = ${tx.realmId} and bot_owner_id = ${ownerId}`.execute(tx.db)
  const { active, total } = rows[0]!
  if (active >= storageLimits.activeBots)
    throw new ApiError(`A user can own at most ${storageLimits.activeBots} active bots. Deactivate one first.`)
  if (total >= storageLimits.bots)
    throw new ApiError(`A user can own at most ${storageLimits.bots} bots. Reuse a deactivated one.`)
}

export async function lockRealm(tx: Tx): Promise<void> {
  await sql`select 1 from realms where id = ${tx.realmId} for no key update`.execute(tx.db)
}

/** A name for a bot: nobody who is active may have the same. `botId` null for one that is still to be made. */
export async function accessBotName(tx: Tx, { realm }: Caller, botId: number | null, wanted: string): Promise<string> {
  const name = await accessName(tx, realm, botId, wanted)
  // Names are given one at a time: two bots that want the same one at once must not both get it.
  await lockRealm(tx)
  const { rows } = await sql<{ full_name: string }>`
    select full_name from users
     where realm_id = ${tx.realmId} and is_active and id is distinct from ${botId}::bigint`.execute(tx.db)
  if (rows.some(({ full_name }) => foldCase(full_name) === foldCase(name)))
    throw new ApiError('Name is already in use!')
  return name
}

/** A channel that a bot uses where it is told none. Nothing, or no name, is none. */
export async function accessDefaultChannel(db: Db, caller: Caller, name = ''): Promise<Channel | null> {
  if (name === '') return null
  const channel = await findVisibleChannel(db, caller, name)
  if (!channel || channel.is_archived || !(await canReadContent(db, caller, channel)))
    throw new ApiError(`Invalid channel name '${name}'`)
  return channel
}

export function checkUrl(text = ''): string {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '')
    throw new ApiError('payload_url is not a URL')
  return text
}

export function checkBotRole(actor: Caller, bot: BotRow, role: number): void {
  if (!isAdmin(actor)) throw new ApiError('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL')
  if ((role === roles.owner || bot.role === roles.owner) && actor.role !== roles.owner)
    throw new ApiError('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL')
}

/** Somebody to whom a bot may be given. */
export async function checkNewOwner(db: Db, { realm_id }: Caller, id: number): Promise<void> {
  const owner = await db
    .selectFrom('users')
    .select(['is_active', 'bot_type'])
    .where('realm_id', '=', realm_id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!owner) throw new ApiError('Failed to change owner, no such user')
  if (!owner.is_active) throw new ApiError('Failed to change owner, user is deactivated')
  if (owner.bot_type !== null) throw new ApiError("Failed to change owner, bots can't own other bots")
}
