import { emitBotAccountUpdate } from '../bots/events.ts'
import type { Tx } from '../events/transact.ts'
import type { Vault } from '../platform/secrets.ts'
import { endQueuesOf } from '../queues/end-queues.ts'
import type { Realm } from '../realms/state.ts'
import { changePassword, replaceKey } from '../sign-in/credentials.ts'

/** `actorId` is null for the command line. */
export interface Revocation {
  vault: Vault
  realm: Realm
  actorId: number | null
}

/** Replaces the API keys of these accounts and ends their event queues, so that waiting polls end at once too. */
export async function revokeKeys(tx: Tx, { vault, realm, actorId }: Revocation, userIds: number[]): Promise<void> {
  await endQueuesOf(tx, userIds)
  for (const id of userIds) {
    await replaceKey(tx, vault, id, actorId)
    await emitBotAccountUpdate(tx, realm, id, ['api_key'])
  }
}

/** Stores the hash of a new password and revokes the API key. */
export async function setPassword(tx: Tx, by: Revocation, userId: number, passwordHash: string): Promise<void> {
  await changePassword(tx, userId, passwordHash, by.actorId)
  await revokeKeys(tx, by, [userId])
}
