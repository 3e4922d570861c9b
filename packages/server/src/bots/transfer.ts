import { canReadContent, findChannelByName } from '../channels/access.ts'
import { lockRealm } from '../events/lock-row.ts'
import type { Tx } from '../events/transact.ts'
import { matches } from '../platform/db/matches.ts'
import { hashKey, newKey, type Vault } from '../platform/secrets.ts'
import { type Caller, loadCaller } from '../users/caller.ts'
import { checkBotLimits } from './access.ts'
import { emitNewOwner } from './events.ts'
import { type BotRow, readBot } from './queries.ts'
import { replaceServiceSecrets } from './services.ts'

/**
 * Transfers a bot to another owner. The previous owner knows its secrets, so all of them are replaced, and callers of
 * this function must also end the bot's queues. Deletes the delivery log, so that the new owner cannot replay messages
 * sent to the bot of the previous owner.
 */
export async function transferBot(
  tx: Tx,
  vault: Vault,
  { state, realm }: Caller,
  botId: number,
  ownerId: number,
): Promise<void> {
  const before = (await readBot(tx.db, tx.realmId, botId))!
  await lockRealm(tx)
  await checkBotLimits(tx, ownerId)
  const key = newKey()
  await tx.db
    .updateTable('users')
    .set({ bot_owner_id: ownerId, api_key_hash: hashKey(key), api_key_sealed: vault.seal(key) })
    .where(matches({ realm_id: tx.realmId, id: botId }))
    .execute()
  await replaceServiceSecrets(tx, vault, botId)
  await tx.db.deleteFrom('webhook_deliveries').where('realm_id', '=', tx.realmId).where('bot_id', '=', botId).execute()
  await clearHiddenDefaults(tx, (await loadCaller(tx.db, state, ownerId))!, before)
  const person = { user_id: botId, bot_owner_id: ownerId }
  tx.emit({ type: 'realm_user', op: 'update', person }, { realm: 'everyone' }, { access: true })
  await emitNewOwner(tx, realm, before, (await readBot(tx.db, tx.realmId, botId))!)
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
