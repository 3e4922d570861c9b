import type { Role } from '@parley/api/common'
import { sql } from 'kysely'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import { grants } from '../../callers/grants.ts'
import { canReadContent, findChannelByName } from '../../conversations/channels/access.ts'
import { lockRealm } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { columnOf } from '../../platform/db/query.ts'
import { hashKey, newKey, newToken, type Vault } from '../../platform/secrets.ts'
import { checkBotLimits } from './access.ts'
import { emitNewOwner } from './events.ts'
import { type BotRow, readBot } from './queries.ts'
import { replaceServiceSecrets, startCursorOver } from './services.ts'

export interface TransferDeps {
  vault: Vault
  /** Injected, because accounts are changed with actions of bots. */
  changeRole(tx: Tx, actor: Caller, bot: BotRow, role: Role): Promise<void>
}

/**
 * Transfers a bot to another owner, with at most their role and grants. The previous owner knows its secrets, so all of
 * them are replaced, and callers of this function must also end the bot's queues. Deletes the delivery log, so that the
 * new owner cannot replay messages sent to the bot of the previous owner.
 */
export async function transferBot(
  tx: Tx,
  { vault, changeRole }: TransferDeps,
  actor: Caller,
  botId: number,
  ownerId: number,
): Promise<void> {
  const { state, realm } = actor
  await lockRealm(tx)
  await checkBotLimits(tx, ownerId)
  const owner = (await loadCaller(tx.db, state, ownerId))!
  const former = (await readBot(tx.db, tx.realmId, botId))!
  if (former.role < owner.role) await changeRole(tx, actor, former, owner.role)
  const before = (await readBot(tx.db, tx.realmId, botId))!
  const key = newKey()
  await tx.db
    .updateTable('users')
    .set({ bot_owner_id: ownerId, api_key_hash: hashKey(key), api_key_sealed: vault.seal(key) })
    .set(Object.fromEntries(grants.filter((name) => !owner[name]).map((name) => [name, false])))
    .where(matches({ realm_id: tx.realmId, id: botId }))
    .execute()
  await replaceServiceSecrets(tx, vault, botId)
  await tx.db.deleteFrom('webhook_deliveries').where('realm_id', '=', tx.realmId).where('bot_id', '=', botId).execute()
  await startCursorOver(tx, botId)
  await replaceHookTokens(tx, vault, botId)
  await clearHiddenDefaults(tx, owner, before)
  const person = { user_id: botId, bot_owner_id: ownerId }
  tx.emit({ type: 'realm_user', op: 'update', person }, { realm: 'everyone' }, { access: true })
  await emitNewOwner(tx, realm, before, (await readBot(tx.db, tx.realmId, botId))!)
}

/** The previous owner knows the URLs of the bot's incoming hooks; what arrived is not for the new owner. */
async function replaceHookTokens(tx: Tx, vault: Vault, bot_id: number): Promise<void> {
  const own = matches({ realm_id: tx.realmId, bot_id })
  const ids = await columnOf(tx.db.selectFrom('hooks').select('id').where(own).where('token_hash', 'is not', null))
  for (const id of ids) {
    const token = newToken()
    await tx.db
      .updateTable('hooks')
      .set({ token_hash: hashKey(token), token_sealed: vault.seal(token) })
      .where(matches({ realm_id: tx.realmId, id }))
      .execute()
  }
  await sql`
    delete from hook_messages k using hooks h
     where h.realm_id = ${tx.realmId} and h.bot_id = ${bot_id} and k.realm_id = h.realm_id and k.hook_id = h.id`.execute(
    tx.db,
  )
  await sql`
    delete from hook_requests r using hooks h
     where h.realm_id = ${tx.realmId} and h.bot_id = ${bot_id} and r.realm_id = h.realm_id and r.hook_id = h.id`.execute(
    tx.db,
  )
}

/** Clears default channels that the new owner cannot read, because owners see the names of default channels. */
async function clearHiddenDefaults(tx: Tx, owner: Caller, { id, sending, events }: BotRow): Promise<void> {
  const isHidden = async (name: string | undefined) => {
    const channel = name === undefined ? undefined : await findChannelByName(tx.db, owner, name)
    return channel !== undefined && !(await canReadContent(tx.db, owner, channel))
  }
  const cleared = {
    ...((await isHidden(sending?.name)) && { default_sending_channel_id: null }),
    ...((await isHidden(events?.name)) && { default_events_channel_id: null }),
  }
  if (Object.keys(cleared).length === 0) return
  await tx.db.updateTable('bots').set(cleared).where('realm_id', '=', tx.realmId).where('user_id', '=', id).execute()
}
