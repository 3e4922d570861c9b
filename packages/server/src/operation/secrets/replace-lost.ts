import { type Context, transactIn } from '../../context.ts'
import { emitBotAccountUpdate } from '../../delivery/bots/events.ts'
import { replaceServiceSecrets } from '../../delivery/bots/services.ts'
import type { Tx } from '../../events/transact.ts'
import { emitInvitesChanged, endInvitations } from '../../identity/invitations/actions.ts'
import { replaceKey } from '../../identity/passwords/credentials.ts'
import { loseTotp } from '../../identity/second-factors/actions.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database } from '../../platform/db/pool.ts'

const accountsAtOnce = 50

/** Replaces what no key can open, in one organization, so that it works without the key that is lost. */
export async function replaceLostSecrets(ctx: Context, realmId: number): Promise<void> {
  await replaceLostKeys(ctx, realmId)
  await transactIn(ctx, realmId, async (tx) => {
    for (const { bot_id } of await lostServices(ctx, realmId)) await replaceServiceSecrets(tx, ctx.vault, bot_id)
    for (const { user_id } of await lostFactors(ctx, realmId)) await loseTotp(tx, user_id)
    await forgetInvitations(tx, ctx)
    await forgetHooks(tx, ctx)
    await tx.db.deleteFrom('idempotent_requests').where('realm_id', '=', realmId).execute()
    await tx.audit(null, 'lost_secrets_replaced', {})
  })
}

/** Browsers that subscribed with the lost pair subscribe again. */
export async function replaceLostPushKeys({ db, vault }: Context): Promise<void> {
  const keys = await db.selectFrom('vapid_keys').select(['public_key', 'private_key_sealed']).execute()
  const lost = keys.filter(({ private_key_sealed }) => vault.tryOpen(private_key_sealed) === undefined)
  for (const { public_key } of lost) await deletePushKeys(db, public_key)
}

async function deletePushKeys(db: Database, publicKey: Buffer): Promise<void> {
  await db.deleteFrom('vapid_keys').where('public_key', '=', publicKey).execute()
}

async function replaceLostKeys(ctx: Context, realmId: number): Promise<void> {
  const { realm } = await ctx.realms.get(realmId)
  const users = await ctx.db
    .selectFrom('users')
    .select(['id', 'api_key_sealed'])
    .where('realm_id', '=', realmId)
    .execute()
  const lost = users.filter(({ api_key_sealed }) => ctx.vault.tryOpen(api_key_sealed) === undefined)
  for (let done = 0; done < lost.length; done += accountsAtOnce)
    await transactIn(ctx, realmId, async (tx) => {
      for (const { id } of lost.slice(done, done + accountsAtOnce)) {
        await replaceKey(tx, ctx.vault, id, null)
        await emitBotAccountUpdate(tx, realm, id, ['api_key'])
      }
    })
}

async function lostServices({ db, vault }: Context, realmId: number): Promise<{ bot_id: number }[]> {
  const services = db.selectFrom('bot_services').select(['bot_id', 'token_sealed', 'secret_sealed'])
  const isLost = (sealed: Buffer) => vault.tryOpen(sealed) === undefined
  const rows = await services.where('realm_id', '=', realmId).execute()
  return rows.filter(({ token_sealed, secret_sealed }) => isLost(token_sealed) || isLost(secret_sealed))
}

async function lostFactors({ db, vault }: Context, realmId: number): Promise<{ user_id: number }[]> {
  const factors = db.selectFrom('totp_factors').select(['user_id', 'secret_sealed']).where('realm_id', '=', realmId)
  return (await factors.execute()).filter(({ secret_sealed }) => vault.tryOpen(secret_sealed) === undefined)
}

/** A link that was sent still works, because its hash is stored. It cannot be shown or sent again, so it ends. */
async function forgetInvitations(tx: Tx, { vault }: Context): Promise<void> {
  const invitations = tx.db.selectFrom('invitations').select(['id', 'token_sealed']).where('realm_id', '=', tx.realmId)
  const lost = (await invitations.execute()).filter(({ token_sealed }) => vault.tryOpen(token_sealed) === undefined)
  if (lost.length === 0) return
  const ids = lost.map(({ id }) => id)
  await endInvitations(tx, ids)
  const token_sealed = vault.seal('')
  await tx.db
    .updateTable('invitations')
    .set({ token_sealed })
    .where(matches({ realm_id: tx.realmId, id: ids }))
    .execute()
  emitInvitesChanged(tx, null)
}

/**
 * The URL of a hook still works, because its hash is stored, but it cannot be shown. Without its secret, requests cannot be
 * checked, so the hook is off until its owner sets a new one.
 */
async function forgetHooks(tx: Tx, { vault }: Context): Promise<void> {
  const hooks = tx.db.selectFrom('hooks').select(['id', 'token_sealed', 'secret_sealed'])
  const isLost = (sealed: Buffer | null) => sealed !== null && vault.tryOpen(sealed) === undefined
  for (const { id, token_sealed, secret_sealed } of await hooks.where('realm_id', '=', tx.realmId).execute())
    if (isLost(token_sealed) || isLost(secret_sealed))
      await tx.db
        .updateTable('hooks')
        .set({
          ...(isLost(token_sealed) && { token_sealed: null }),
          ...(isLost(secret_sealed) && { secret_sealed: null, is_enabled: false }),
        })
        .where(matches({ realm_id: tx.realmId, id }))
        .execute()
}
