import { randomBytes } from 'node:crypto'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { newKey, type Vault } from '../../platform/secrets.ts'
import { checkUrl } from './access.ts'
import type { BotRow } from './queries.ts'

/** A signing secret in the format of Standard Webhooks. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export async function createService(
  tx: Tx,
  vault: Vault,
  bot_id: number,
  service: { base_url: string; interface: 1 | 2 },
): Promise<void> {
  await tx.db
    .insertInto('bot_services')
    .values({ realm_id: tx.realmId, bot_id, ...service, ...newServiceSecrets(vault) })
    .execute()
}

export function newServiceSecrets(vault: Vault) {
  return { token_sealed: vault.seal(newKey()), secret_sealed: vault.seal(newSecret()) }
}

/** Does nothing for a bot without an endpoint. */
export async function replaceServiceSecrets(tx: Tx, vault: Vault, botId: number): Promise<void> {
  await tx.db
    .updateTable('bot_services')
    .set(newServiceSecrets(vault))
    .where(matches({ realm_id: tx.realmId, bot_id: botId }))
    .execute()
}

interface ServiceChanges {
  service_payload_url?: string
  service_interface?: 1 | 2
}

/** Updates the URL and the interface of an outgoing webhook. Returns whether there was a change. */
export async function changeService(tx: Tx, bot: BotRow, changes: ServiceChanges): Promise<boolean> {
  const { service_payload_url: url, service_interface: form } = changes
  if (url === undefined && form === undefined) return false
  if (bot.base_url === null) throw new ApiError('This is not an outgoing webhook bot.')
  await tx.db
    .updateTable('bot_services')
    .set({ ...(url !== undefined && { base_url: checkUrl(url) }), ...(form !== undefined && { interface: form }) })
    .where(matches({ realm_id: tx.realmId, bot_id: bot.id }))
    .execute()
  return true
}
