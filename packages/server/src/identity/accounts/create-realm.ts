import { roles } from '@parley/api/common'
import { lookup } from '@parley/api/lookup'
import { sql } from 'kysely'
import { loadState, type Realm } from '../../callers/realm-state.ts'
import { type Commits, type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { createSystemGroups } from '../../organization/groups/system-groups.ts'
import { createUser } from '../../people/users/actions.ts'
import { type SystemBot, systemBotEmail, systemBots } from '../../people/users/system-bots.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { createFirstChannel } from './first-channel.ts'
import type { KeptIds } from './kept-ids.ts'

export interface NewRealm {
  string_id: string
  /** Null for the default realm: it serves every host that no other realm claims. */
  host: string | null
  name: string
  /** In a database without other organizations. */
  ids?: KeptIds | undefined
}

type CreateRealmDeps = Commits & Pick<Context, 'realms' | 'vault'>

/** Adds to a new organization in the same transaction. */
type Complete = (tx: Tx, realm: Realm) => Promise<void>

/** Creates an organization with a channel for everyone, but without users. */
export function createOrganization(
  ctx: CreateRealmDeps & Pick<Context, 'renderer'>,
  params: NewRealm,
  complete?: Complete,
): Promise<number> {
  return createRealm(ctx, params, async (tx, realm) => {
    await createFirstChannel(tx, ctx, realm)
    await complete?.(tx, realm)
  })
}

/** Creates an organization with its system groups, permissions and bots, but without users and channels. */
export async function createRealm(ctx: CreateRealmDeps, params: NewRealm, complete?: Complete): Promise<number> {
  const { ids } = params
  const id = ids?.realm ?? (await nextRealmId(ctx.db))
  await transactIn(ctx, id, async (tx) => {
    await insertRealm(tx.db, id, params)
    await createSystemGroups(tx.db, id, ids?.groups)
    const { realm } = await loadState(tx.db, id)
    for (const [name, full_name] of Object.entries(systemBots)) {
      const email = systemBotEmail(realm, name as SystemBot)
      const kept = ids && lookup(ids.bots, name)
      if (kept !== undefined)
        await sql`select setval(pg_get_serial_sequence('users', 'id'), ${kept}, false)`.execute(tx.db)
      await createUser(tx, ctx.vault, realm, { email, full_name, role: roles.member, bot_type: 1, is_system_bot: true })
    }
    await complete?.(tx, realm)
  })
  return id
}

async function nextRealmId(db: Db): Promise<number> {
  const { id } = await one<{ id: number }>(db)`select nextval(pg_get_serial_sequence('realms', 'id')) as id`
  return id
}

/** Read receipts are on, because new organizations are invite-only. */
const initialSettings = JSON.stringify({ enable_read_receipts: true })

async function insertRealm(db: Database, id: number, { string_id, host, name }: NewRealm): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into realms (id, string_id, host, name, settings) overriding system value
    values (${id}, ${string_id}, ${host?.toLowerCase() ?? null}, ${name}, ${initialSettings})
    on conflict do nothing`.execute(db)
  if (numAffectedRows === 0n)
    throw new StartupError(`There is already an organization "${string_id}", or one at ${host ?? 'every other host'}.`)
  await db.insertInto('realm_counters').values({ realm_id: id }).execute()
}
