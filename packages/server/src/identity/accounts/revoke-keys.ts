import type { Caller } from '../../callers/caller.ts'
import type { Realm } from '../../callers/realm-state.ts'
import { emitBotAccountUpdate } from '../../delivery/bots/events.ts'
import { endQueuesOf } from '../../events/end-queues.ts'
import type { Tx } from '../../events/transact.ts'
import type { Vault } from '../../platform/secrets.ts'
import { changePassword, replaceKey } from '../passwords/credentials.ts'
import { endCredentialsOf } from '../sessions/stored-credentials.ts'

/** `actorId` is null for the command line. */
export interface Revocation {
  vault: Vault
  realm: Realm
  actorId: number | null
  /** The session that makes the change. It goes on. */
  currentSession?: number | undefined
}

/**
 * Replaces the API keys of these accounts, ends their sessions and tokens, and their event queues, so that waiting polls
 * end at once too.
 */
export async function revokeKeys(
  tx: Tx,
  { vault, realm, actorId, currentSession }: Revocation,
  userIds: number[],
): Promise<void> {
  await endCredentialsOf(tx, userIds, currentSession)
  await endQueuesOf(tx, userIds, currentSession)
  for (const id of userIds) {
    await replaceKey(tx, vault, id, actorId)
    await emitBotAccountUpdate(tx, realm, id, ['api_key'])
  }
}

/** Ends everything that gives access to the account, except the caller's current session. */
export async function signOutElsewhere(tx: Tx, vault: Vault, caller: Caller): Promise<void> {
  await revokeKeys(tx, revocationBy(caller, vault), [caller.id])
  await tx.audit(caller.id, 'signed_out_elsewhere', { user_id: caller.id })
}

/** A revocation that a user makes for their own account. */
export function revocationBy({ realm, id, credential }: Caller, vault: Vault): Revocation {
  const currentSession = credential?.kind === 'session' ? credential.id : undefined
  return { vault, realm, actorId: id, currentSession }
}

/** Stores the hash of a new password, revokes the API key and notifies the user. */
export async function setPassword(tx: Tx, by: Revocation, userId: number, passwordHash: string): Promise<void> {
  await changePassword(tx, userId, passwordHash, by.actorId)
  await revokeKeys(tx, by, [userId])
  await tx.enqueue('send_mail', { user_id: userId, template: 'password_changed' })
}
