import { transactIn } from '../context.ts'
import { createScimToken, listScimTokens, revokeScimToken } from '../identity/scim/tokens.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { findRealm, withContext, withDatabase } from './open-context.ts'
import { urlOf } from './realms/create.ts'

interface Options {
  realm?: string
}

export async function createToken({ name, realm: stringId }: Options & { name: string }): Promise<void> {
  if (name.trim() === '') throw new StartupError('A token needs a name that says what it is for.')
  await withContext(async (ctx) => {
    const { id } = await findRealm(ctx.db, stringId)
    const { realm } = await ctx.realms.get(id)
    const { token } = await transactIn(ctx, id, (tx) => createScimToken(tx, name.trim()))
    console.log(`URL:   ${urlOf(ctx.config, realm.host)}/scim/v2`)
    console.log(`Token: ${token}`)
    console.error('The token is not shown again. It can create, change and deactivate accounts: keep it secret.')
  })
}

/** Tab-separated lines: id, name, when it was created and last used. */
export async function listTokens({ realm }: Options): Promise<void> {
  await withDatabase(async (db) => {
    const { id } = await findRealm(db, realm)
    for (const token of await listScimTokens(db, id)) {
      const used = token.used_at ? `used ${token.used_at.toISOString()}` : 'never used'
      console.log([token.id, token.name, `created ${token.created_at.toISOString()}`, used].join('\t'))
    }
  })
}

export async function revokeToken(tokenId: string, { realm }: Options): Promise<void> {
  if (!/^\d{1,15}$/.test(tokenId)) throw new StartupError('Give the number of the token. "scim list-tokens" shows it.')
  await withContext(async (ctx) => {
    const { id, name } = await findRealm(ctx.db, realm)
    await transactIn(ctx, id, (tx) => revokeScimToken(tx, Number(tokenId)))
    console.log(`Revoked token ${tokenId} of ${name}.`)
  })
}
