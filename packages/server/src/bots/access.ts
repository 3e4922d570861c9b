import { botTypes } from '@parley/api/bots'
import { roles } from '@parley/api/common'
import { storageLimits } from '@parley/api/limits'
import { type Channel, canReadContent, findVisibleChannel } from '../channels/access.ts'
import { lockRealm } from '../events/lock-row.ts'
import type { Tx } from '../events/transact.ts'
import { isAdmin, mayInRealm } from '../groups/permission.ts'
import { matches } from '../platform/db/matches.ts'
import type { Db } from '../platform/db/pool.ts'
import { columnOf, one } from '../platform/db/query.ts'
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

/** A bot that the caller manages. The existence of bots is no secret, so other bots are refused explicitly. */
export async function accessBot(db: Db, caller: Caller, id: number): Promise<BotRow> {
  const bot = await readBot(db, caller.realm_id, id)
  if (!bot) throw new ApiError('No such bot')
  const isOwn = bot.bot_owner_id === caller.id
  if (!isOwn && !isAdmin(caller)) throw new NotPermitted()
  if (exceeds(bot, caller) && !(isOwn && !bot.can_create_users)) throw new NotPermitted()
  return bot
}

/** Like `accessBot`, for changes: locks the bot, the caller and the new owner until the transaction ends. */
export async function accessBotToChange(
  tx: Tx,
  caller: Caller,
  id: number,
  newOwnerId: number | null = null,
): Promise<{ actor: Caller; bot: BotRow }> {
  const users = matches({ realm_id: tx.realmId, id: [caller.id, id, ...(newOwnerId === null ? [] : [newOwnerId])] })
  await tx.db.selectFrom('users').select('id').where(users).orderBy('id').forNoKeyUpdate().execute()
  const actor = await reloadCaller(tx.db, caller)
  return { actor, bot: await accessBot(tx.db, actor, id) }
}

export function checkMayCreate(caller: Caller, botType: number): void {
  if (mayInRealm(caller, caller.realm, 'can_create_bots_group')) return
  if (botType === botTypes.incomingWebhook && mayInRealm(caller, caller.realm, 'can_create_write_only_bots_group'))
    return
  throw new NotPermitted()
}

/** Throws if the owner has reached the limit of bots. The realm must be locked. */
export async function checkBotLimits(tx: Tx, ownerId: number): Promise<void> {
  const { active, total } = await one<{ active: number; total: number }>(tx.db)`
    select count(*) filter (where is_active) as active, count(*) as total from users
     where realm_id = ${tx.realmId} and bot_owner_id = ${ownerId}`
  if (active >= storageLimits.activeBots)
    throw new ApiError(`A user can own at most ${storageLimits.activeBots} active bots. Deactivate one first.`)
  if (total >= storageLimits.bots)
    throw new ApiError(`A user can own at most ${storageLimits.bots} bots. Reuse a deactivated one.`)
}

/** Checks a bot's name, which no active user may have. `botId` is null for a new bot. */
export async function accessBotName(
  tx: Tx,
  { realm }: Caller,
  botId: number | null,
  requestedName: string,
): Promise<string> {
  const name = await accessName(tx, realm, botId, requestedName)
  // Lock the realm, so that concurrent requests cannot take the same name.
  await lockRealm(tx)
  const active = tx.db.selectFrom('users').where(matches({ realm_id: tx.realmId, is_active: true }))
  const names = await columnOf(active.select('full_name').where('id', 'is distinct from', botId))
  if (names.some((other) => foldCase(other) === foldCase(name))) throw new ApiError('Name is already in use!')
  return name
}

/** A default channel of a bot. A missing or empty name means none. */
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

/** Throws unless the user can own bots. */
export async function checkNewOwner(db: Db, { realm_id }: Caller, id: number): Promise<void> {
  const owner = await db
    .selectFrom('users')
    .select(['is_active', 'bot_type'])
    .where(matches({ realm_id, id }))
    .executeTakeFirst()
  if (!owner) throw new ApiError('Failed to change owner, no such user')
  if (!owner.is_active) throw new ApiError('Failed to change owner, user is deactivated')
  if (owner.bot_type !== null) throw new ApiError("Failed to change owner, bots can't own other bots")
}
