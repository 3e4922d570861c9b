import { type Role, roles } from '@parley/api/common'
import type { Bot, createBot as createOperation, updateBot as updateOperation } from '@parley/api/delivery/bots'
import { botTypes } from '@parley/api/kinds'
import type { ParamsOf } from '@parley/api/operation'
import type { Caller } from '../../callers/caller.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import type { Channel } from '../../conversations/channels/access.ts'
import type { Tx } from '../../events/transact.ts'
import { createUser } from '../../people/users/actions.ts'
import { changeAvatar } from '../../people/users/avatars/avatars.ts'
import { rename } from '../../people/users/change-user.ts'
import { deactivate } from '../../people/users/deactivate.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hashKey, newKey, type Vault } from '../../platform/secrets.ts'
import {
  accessBotName,
  accessDefaultChannel,
  checkBotLimits,
  checkBotRole,
  checkMayCreate,
  checkNewOwner,
  checkUrl,
  readOwnerRole,
} from './access.ts'
import { emitBotUpdate, emitNewBot } from './events.ts'
import { type BotRow, readBot } from './queries.ts'
import { changeService, createService } from './services.ts'
import { type TransferDeps, transferBot } from './transfer.ts'

/** The storage path of an avatar uploaded with the request. */
interface Avatar {
  avatar_path?: string
}
type CreateBotParams = Omit<ParamsOf<typeof createOperation>, 'password'> & Avatar
type Changes = Omit<ParamsOf<typeof updateOperation>, 'password'> & Avatar

export async function createBot(tx: Tx, vault: Vault, actor: Caller, params: CreateBotParams): Promise<BotRow> {
  const { bot_type } = params
  checkMayCreate(actor, bot_type)
  if (bot_type === botTypes.embedded) throw new ApiError('Embedded bots are not enabled.')
  const email = botEmail(actor, params.short_name)
  const base_url = bot_type === botTypes.outgoingWebhook ? checkUrl(params.payload_url) : undefined
  const sending = await accessDefaultChannel(tx.db, actor, params.default_sending_stream)
  const events = await accessDefaultChannel(tx.db, actor, params.default_events_register_stream)
  const full_name = await accessBotName(tx, actor, null, params.full_name)
  await checkBotLimits(tx, actor.id)
  const role = Math.max(roles.member, actor.role) as Role
  const account = { email, full_name, role, bot_type, bot_owner_id: actor.id }
  const user = await createUser(tx, vault, actor.realm, account)
  if (params.avatar_path) await changeAvatar(tx, actor.realm, user, params.avatar_path)
  const { id } = user
  await storeDefaults(tx, id, {
    ...channelIds({ sending, events }),
    default_all_public_streams: params.default_all_public_streams ?? false,
    config_data: JSON.stringify(params.config_data),
  })
  if (base_url !== undefined) await createService(tx, vault, id, { base_url, interface: params.interface_type })
  const bot = (await readBot(tx.db, tx.realmId, id))!
  await emitNewBot(tx, actor.realm, bot)
  await tx.audit(actor.id, 'bot_created', { user_id: id, bot_type })
  return bot
}

/** Bots have generated emails: `{short_name}-bot` at the realm's domain. */
function botEmail({ realm }: Caller, shortName: string): string {
  const name = shortName.trim()
  if (!/^[\w.+-]+$/.test(name)) throw new ApiError('Bad name or username')
  return `${name}-bot@${fakeDomain(realm)}`
}

/** Applies all changes or none. */
export async function updateBot(
  tx: Tx,
  deps: TransferDeps,
  actor: Caller,
  before: BotRow,
  changes: Changes,
): Promise<BotRow> {
  const { role, bot_owner_id, full_name } = changes
  if (bot_owner_id !== undefined) await checkNewOwner(tx.db, actor, bot_owner_id)
  if (role !== undefined && role !== before.role)
    checkBotRole(actor, before, role, await readOwnerRole(tx.db, tx.realmId, bot_owner_id ?? before.bot_owner_id))
  const changed: (keyof Bot)[] = []
  if (full_name !== undefined && full_name.trim() !== before.full_name) {
    await rename(tx, actor.realm, before, await accessBotName(tx, actor, before.id, full_name))
    changed.push('full_name')
  }
  if (changes.avatar_path) {
    await changeAvatar(tx, actor.realm, before, changes.avatar_path)
    changed.push('avatar_url')
  }
  changed.push(...(await changeDefaults(tx, actor, before, changes)))
  if (await changeService(tx, actor, before, changes)) changed.push('services')
  const bot = (await readBot(tx.db, tx.realmId, before.id))!
  await emitBotUpdate(tx, actor.realm, bot, changed)
  if (bot_owner_id !== undefined && bot_owner_id !== before.bot_owner_id)
    await transferBot(tx, deps, actor, before.id, bot_owner_id)
  const owned = (await readBot(tx.db, tx.realmId, before.id))!
  if (role !== undefined && role !== owned.role) await deps.changeRole(tx, actor, owned, role)
  return auditBotUpdate(tx, actor, before, Object.keys(changes))
}

/** Records what changed since `before`, and returns the bot as it is now. */
export async function auditBotUpdate(tx: Tx, actor: Caller, before: BotRow, changed: string[]): Promise<BotRow> {
  const after = (await readBot(tx.db, tx.realmId, before.id))!
  const audited = { before: ownershipOf(before), after: ownershipOf(after) }
  await tx.audit(actor.id, 'bot_updated', { user_id: before.id, changed }, audited)
  return after
}

function ownershipOf({ role, bot_owner_id, full_name }: BotRow) {
  return { role, bot_owner_id, full_name }
}

async function changeDefaults(tx: Tx, actor: Caller, { id }: BotRow, changes: Changes): Promise<(keyof Bot)[]> {
  const { default_sending_stream: sending, default_events_register_stream: events } = changes
  const { default_all_public_streams, config_data } = changes
  const places = {
    ...(sending !== undefined && { sending: await accessDefaultChannel(tx.db, actor, sending) }),
    ...(events !== undefined && { events: await accessDefaultChannel(tx.db, actor, events) }),
  }
  const values = {
    ...channelIds(places),
    ...(default_all_public_streams !== undefined && { default_all_public_streams }),
    ...(config_data && { config_data: JSON.stringify(config_data) }),
  }
  if (Object.keys(values).length > 0) await storeDefaults(tx, id, values)
  const shown = ['default_sending_stream', 'default_events_register_stream', 'default_all_public_streams'] as const
  return shown.filter((name) => changes[name] !== undefined)
}

function channelIds(places: { sending?: Channel | null; events?: Channel | null }) {
  const { sending, events } = places
  return {
    ...(sending !== undefined && { default_sending_channel_id: sending?.id ?? null }),
    ...(events !== undefined && { default_events_channel_id: events?.id ?? null }),
  }
}

interface Defaults {
  default_sending_channel_id?: number | null
  default_events_channel_id?: number | null
  default_all_public_streams?: boolean
  config_data?: string
}

async function storeDefaults(tx: Tx, user_id: number, values: Defaults): Promise<void> {
  await tx.db
    .insertInto('bots')
    .values({ realm_id: tx.realmId, user_id, ...values })
    .onConflict((conflict) => conflict.columns(['realm_id', 'user_id']).doUpdateSet(values))
    .execute()
}

export async function deactivateBot(tx: Tx, actor: Caller, bot: BotRow): Promise<void> {
  await deactivate(tx, { actor, target: bot, botIds: [], isOnlyOwner: false })
  await emitBotUpdate(tx, actor.realm, { ...bot, is_active: false }, ['is_active'])
  await tx.audit(actor.id, 'bot_deactivated', { user_id: bot.id })
}

/** Replaces a bot's API key. The old key stops working. */
export async function replaceKey(tx: Tx, vault: Vault, actor: Caller, bot: BotRow): Promise<string> {
  const key = newKey()
  const api_key_sealed = vault.seal(key)
  await tx.db
    .updateTable('users')
    .set({ api_key_hash: hashKey(key), api_key_sealed })
    .where(matches({ realm_id: tx.realmId, id: bot.id }))
    .execute()
  tx.emitInternal({ access: true })
  await emitBotUpdate(tx, actor.realm, { ...bot, api_key_sealed }, ['api_key'])
  await tx.audit(actor.id, 'bot_key_replaced', { user_id: bot.id })
  return key
}
