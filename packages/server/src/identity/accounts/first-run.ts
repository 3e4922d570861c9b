import { roles } from '@parley/api/common'
import { nameLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { createUser } from '../../people/users/actions.ts'
import type { Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { hashKey, newToken } from '../../platform/secrets.ts'
import { createOrganization, type NewRealm } from './create-realm.ts'
import { welcomeAccount } from './welcome.ts'

class DeadStartLink extends ApiError {
  constructor() {
    super('This link was already used, or the server was started again and printed a new one.', 'NOT_FOUND')
  }
}

export async function hasOrganization(db: Db): Promise<boolean> {
  return (await db.selectFrom('realms').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Replaces the link to set up the first organization and returns its path. Undefined if there is an organization. */
export async function renewStartLink({ db }: Pick<Context, 'db'>): Promise<string | undefined> {
  if (await hasOrganization(db)) return undefined
  const token = newToken()
  await sql`
    insert into start_links (token_hash) values (${hashKey(token)})
    on conflict (id) do update set token_hash = excluded.token_hash`.execute(db)
  return `/start/${token}`
}

export async function checkStartLink(db: Db, token: string): Promise<void> {
  const isValid = await exists(db)`
    select 1 from start_links where token_hash = ${hashKey(token)} and not exists (select 1 from realms)`
  if (!isValid) throw new DeadStartLink()
}

export interface NewOwner {
  email: string
  full_name: string
  password_hash: string
}

/** Creates the first organization and its owner, and uses the link up, in one transaction. */
export async function createFirstOrganization(
  ctx: Context,
  token: string,
  organization: NewRealm,
  owner: NewOwner,
): Promise<{ id: number; realm_id: number }> {
  let id: number | undefined
  const creating = createOrganization(ctx, organization, async (tx, realm) => {
    const used = tx.db.deleteFrom('start_links').where('token_hash', '=', hashKey(token))
    const { numDeletedRows } = await used.executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) throw new DeadStartLink()
    const user = await createUser(tx, ctx.vault, realm, { ...owner, role: roles.owner })
    await welcomeAccount(tx, ctx, realm, user)
    await tx.audit(user.id, 'organization_created', { user_id: user.id })
    id = user.id
  })
  const realm_id = await creating.catch((error) => {
    // A concurrent request has created one with the same name or host.
    throw error instanceof StartupError ? new DeadStartLink() : error
  })
  return { id: id!, realm_id }
}

export function checkOrganizationName(name: string): void {
  if (name === '' || name.length > nameLimits.organization)
    throw new ApiError(`The name must have 1 to ${nameLimits.organization} characters.`)
}

export function checkHost(host: string): void {
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$|^\[[0-9a-f:]+\]$/.test(host))
    throw new ApiError('This must be a host name, like chat.example.com.')
}

/** The short name of an organization, for commands: "Harbour Labs" becomes harbour-labs. */
export function shortNameOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return (
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|(?<!-)-+$/g, '')
      .slice(0, 40) || 'organization'
  )
}
