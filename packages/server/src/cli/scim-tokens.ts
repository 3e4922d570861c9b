import { transactIn } from '../context.ts'
import { createScimToken, listScimTokens, revokeScimToken } from '../identity/scim/tokens.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { findRealm, withContext, withDatabase } from './open-context.ts'
import { type ListOptions, printRows } from './print-table.ts'
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

export async function listTokens(options: Options & ListOptions): Promise<void> {
  const tokens = await withDatabase(async (db) => listScimTokens(db, (await findRealm(db, options.realm)).id))
  const rows = tokens.map(({ id, name, created_at, used_at }) => ({
    id,
    name,
    created: created_at,
    last_used: used_at,
  }))
  printRows(rows, options, 'There are no tokens.')
}

export async function revokeToken(tokenId: string, { realm }: Options): Promise<void> {
  if (!/^\d{1,15}$/.test(tokenId)) throw new StartupError('Give the number of the token. "scim list-tokens" shows it.')
  await withContext(async (ctx) => {
    const { id, name } = await findRealm(ctx.db, realm)
    await transactIn(ctx, id, (tx) => revokeScimToken(tx, Number(tokenId)))
    console.log(`Revoked token ${tokenId} of ${name}.`)
  })
}
