import { transactIn } from '../../context.ts'
import { createPasswordReset, resetUrl } from '../../identity/accounts/password-reset.ts'
import { revokeKeys, setPassword } from '../../identity/accounts/revoke-keys.ts'
import { resetFactors } from '../../identity/second-factors/actions.ts'
import { linkUrlOf } from '../link-url.ts'
import { findRealm, withContext } from '../open-context.ts'
import { findAccount } from './grant.ts'
import { readPassword } from './read-password.ts'

interface Options {
  realm?: string
}

/** Sets a new password. The API key is replaced; sessions, tokens and event queues end. */
export async function resetPassword(email: string, options: Options): Promise<void> {
  const password = await readPassword(email)
  await withContext(async (ctx) => {
    const { id } = await findRealm(ctx.db, options.realm)
    const { realm } = await ctx.realms.get(id)
    const userId = await findAccount(ctx.db, realm, email)
    const hash = await password.hash
    await transactIn(ctx, id, (tx) => setPassword(tx, { vault: ctx.vault, realm, actorId: null }, userId, hash))
    console.log(`${email} has a new password in ${realm.name}, and a new API key.`)
  })
}

/** For servers without email, and for administrators who locked themselves out. */
export async function printResetLink(email: string, options: Options): Promise<void> {
  await withContext(async (ctx) => {
    const { id } = await findRealm(ctx.db, options.realm)
    const { realm } = await ctx.realms.get(id)
    const baseUrl = linkUrlOf(ctx, realm)
    const userId = await findAccount(ctx.db, realm, email)
    const token = await transactIn(ctx, id, (tx) => createPasswordReset(tx, { id: userId, email }, null))
    console.log(`${email} can set a new password in ${realm.name} here, once, within 30 minutes:`)
    console.log(`  ${resetUrl(baseUrl, token)}`)
  })
}

/** Replaces the API key, and ends the account's sessions, tokens and queues; the password stays. */
export async function revokeAccountKeys(email: string, options: Options): Promise<void> {
  await withContext(async (ctx) => {
    const { id } = await findRealm(ctx.db, options.realm)
    const { realm } = await ctx.realms.get(id)
    const userId = await findAccount(ctx.db, realm, email)
    await transactIn(ctx, id, (tx) => revokeKeys(tx, { vault: ctx.vault, realm, actorId: null }, [userId]))
    console.log(`Revoked the API key, sessions and tokens of ${email} in ${realm.name}; clients must sign in again.`)
  })
}

/** For users, above all the last owner, who have lost their second factors and recovery codes. */
export async function resetSecondFactor(email: string, options: Options): Promise<void> {
  await withContext(async (ctx) => {
    const { id } = await findRealm(ctx.db, options.realm)
    const { realm } = await ctx.realms.get(id)
    const userId = await findAccount(ctx.db, realm, email)
    await transactIn(ctx, id, (tx) => resetFactors(tx, null, userId))
    console.log(`Removed the second factors of ${email} in ${realm.name}; the password is enough to sign in again.`)
  })
}
