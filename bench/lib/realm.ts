import type pg from 'pg'
import { roles } from '../../packages/api/src/common.ts'
import { closeContext, createContext } from '../../packages/server/src/boot/create-context.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { type Context, transactIn } from '../../packages/server/src/context.ts'
import { createRealm } from '../../packages/server/src/identity/accounts/create-realm.ts'
import { createUser } from '../../packages/server/src/people/users/actions.ts'
import { migrate } from '../../packages/server/src/platform/db/migrating/migrate.ts'
import { createPool } from '../../packages/server/src/platform/db/pool.ts'
import type { WatchedClient } from '../../packages/server/src/platform/db/watched-client.ts'
import { hashKey, newKey } from '../../packages/server/src/platform/secrets.ts'

export const secretKey = 'only for benchmarks, only for benchmarks'
export const host = '127.0.0.1'

export interface Account {
  id: number
  authorization: string
}

export interface BenchRealm {
  realmId: number
  owner: Account
  /** Accounts with their own API keys, subscribed to `everybody`. */
  people: Account[]
  small: string
  everybody: string
}

/** A realm with a channel of two users and a channel of all users, created with bulk SQL where it matters. */
export async function prepareRealm(databaseUrl: string, people: number): Promise<BenchRealm> {
  const pool = createPool({ url: databaseUrl, log: console.error })
  await migrate(pool)
  await pool.end()
  return withContext(databaseUrl, (ctx) => fillRealm(ctx, people, null))
}

export async function withContext<T>(databaseUrl: string, work: (ctx: Context) => Promise<T>): Promise<T> {
  const config = readConfig('production', { SECRET_KEY: secretKey, LOG_LEVEL: 'error' })
  const ctx = await createContext(config, databaseUrl)
  try {
    return await work(ctx)
  } finally {
    await closeContext(ctx)
  }
}

export async function fillRealm(ctx: Context, count: number, host: string | null): Promise<BenchRealm> {
  const realmId = await createRealm(ctx, { string_id: host ?? 'bench', host, name: 'Bench' })
  const { realm } = await ctx.realms.get(realmId)
  const first = await transactIn(ctx, realmId, (tx) =>
    createUser(tx, ctx.vault, realm, { email: 'owner@bench.test', full_name: 'Owner', role: roles.owner }),
  )
  const row = await ctx.db
    .selectFrom('users')
    .select('api_key_sealed')
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow()
  const owner = { id: first.id, authorization: basic('owner@bench.test', ctx.vault.open(row.api_key_sealed)) }
  const people = await insertPeople(ctx, realmId, count)
  await insertChannel(ctx, realm.systemGroups, realmId, 'small', [owner.id, people[0]?.id ?? owner.id])
  await insertChannel(ctx, realm.systemGroups, realmId, 'everybody', [owner.id, ...people.map(({ id }) => id)])
  ctx.realms.drop(realmId)
  return { realmId, owner, people, small: 'small', everybody: 'everybody' }
}

function basic(email: string, key: string): string {
  return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`
}

async function insertPeople(ctx: Context, realmId: number, count: number): Promise<Account[]> {
  const keys = Array.from({ length: count }, newKey)
  const rows = await inBulk<{ id: number; email: string }>(
    ctx,
    `with fresh as (
       insert into users (realm_id, email, email_key, full_name, role, api_key_hash, api_key_sealed)
       select $1, 'p' || n || '@bench.test', 'p' || n || '@bench.test', 'FoundUser ' || n, 400, hash, hash
         from unnest($2::bytea[]) with ordinality as k(hash, n)
       returning id, email
     ), members as (
       insert into group_members (realm_id, group_id, user_id)
       select $1, g.id, f.id from fresh f, user_groups g where g.realm_id = $1 and g.name = 'role:members'
     )
     select id, email from fresh order by id`,
    [realmId, keys.map(hashKey)],
  )
  return rows.map(({ id, email }) => ({
    id,
    authorization: basic(email, keys[Number(email.slice(1, email.indexOf('@'))) - 1]!),
  }))
}

/** Runs a statement that may exceed the timeout of requests. */
async function inBulk<Row extends object>(ctx: Context, text: string, values: unknown[]): Promise<Row[]> {
  const client = (await ctx.pool.connect()) as pg.PoolClient & WatchedClient
  try {
    await client.removeTimeouts()
    return (await client.query<Row>(text, values)).rows
  } finally {
    client.release(true)
  }
}

async function insertChannel(
  ctx: Context,
  groups: Record<string, number>,
  realmId: number,
  name: string,
  members: number[],
): Promise<void> {
  const { rows } = await ctx.pool.query<{ id: number }>(
    `insert into channels (realm_id, name, name_key, can_add_subscribers_group, can_administer_channel_group,
                           can_remove_subscribers_group, can_send_message_group, can_subscribe_group)
     values ($1, $2, $2, $3, $3, $4, $5, $3) returning id`,
    [realmId, name, groups['role:nobody'], groups['role:administrators'], groups['role:everyone']],
  )
  const channelId = rows[0]!.id
  await inBulk(
    ctx,
    `insert into subscriptions (realm_id, user_id, channel_id, is_active, color) select $1, u, $2, true, '#76ce90' from unnest($3::bigint[]) u`,
    [realmId, channelId, members],
  )
  await inBulk(
    ctx,
    `insert into subscription_periods (realm_id, user_id, channel_id, from_event, from_message) select $1, u, $2, 0, 0 from unnest($3::bigint[]) u`,
    [realmId, channelId, members],
  )
}
