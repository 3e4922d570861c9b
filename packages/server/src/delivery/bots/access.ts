import { type Role, roles } from '@parley/api/common'
import { botTypes } from '@parley/api/kinds'
import { storageLimits } from '@parley/api/limits'
import { isAdmin, mayInRealm } from '@parley/api/permissions'
import { reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import { type Channel, canReadContent, findVisibleChannel } from '../../conversations/channels/access.ts'
import { lockRealm } from '../../events/lock-row.ts'
import { StaleLocks, type Tx } from '../../events/transact.ts'
import { accessName } from '../../people/users/profile/name-rules.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, columnOf, one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { foldCase } from '../../platform/text.ts'
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
  if (exceeds(bot, caller)) throw new NotPermitted()
  return bot
}

/** Like `accessBot`, for changes: locks the bot, the caller, the owner and the new owner until the transaction ends. */
export async function accessBotToChange(
  tx: Tx,
  caller: Caller,
  id: number,
  newOwnerId: number | null = null,
): Promise<{ actor: Caller; bot: BotRow }> {
  const locked = await column<number>(tx.db)`
    select id from users
     where realm_id = ${tx.realmId}
       and (id = any(${[caller.id, id, newOwnerId]}::bigint[])
            or id = (select bot_owner_id from users where realm_id = ${tx.realmId} and id = ${id}))
     order by id for no key update`
  const actor = await reloadCaller(tx.db, caller)
  const bot = await accessBot(tx.db, actor, id)
  if (bot.bot_owner_id !== null && !locked.includes(bot.bot_owner_id)) throw new StaleLocks()
  return { actor, bot }
}

export function checkMayCreate(caller: Caller, botType: number): void {
  if (mayInRealm(caller, caller.realm, 'can_create_bots_group')) return
  if (botType === botTypes.incomingWebhook && mayInRealm(caller, caller.realm, 'can_create_write_only_bots_group'))
    return
  throw new NotPermitted()
}

/** Throws if the owner has reached a limit of bots. The realm must be locked. A reactivated bot is counted already. */
export async function checkBotLimits(tx: Tx, ownerId: number, reactivatedId: number | null = null): Promise<void> {
  const { active, total } = await one<{ active: number; total: number }>(tx.db)`
    select count(*) filter (where is_active) as active, count(*) as total from users
     where realm_id = ${tx.realmId} and bot_owner_id = ${ownerId} and id is distinct from ${reactivatedId}`
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

/** A role that the actor gives to a bot of this owner. */
export function checkBotRole(actor: Caller, bot: BotRow, role: number, ownerRole: number): void {
  if (!isAdmin(actor)) throw new ApiError('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL')
  if ((role === roles.owner || bot.role === roles.owner) && actor.role !== roles.owner)
    throw new ApiError('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL')
  checkWithinOwner(role, ownerRole)
}

/** With smaller numbers go more permissions. */
export function checkWithinOwner(role: number, ownerRole: number): void {
  if (role < ownerRole) throw new ApiError('A bot cannot have a higher role than its owner.')
}

/** The highest role that a bot of this owner can have. Bots without an owner are bound by nobody. */
export async function readOwnerRole(db: Db, realm_id: number, ownerId: number | null): Promise<Role> {
  if (ownerId === null) return roles.owner
  const owner = db
    .selectFrom('users')
    .select('role')
    .where(matches({ realm_id, id: ownerId }))
  return (await owner.executeTakeFirstOrThrow()).role as Role
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
