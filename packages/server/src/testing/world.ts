import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Role, roles } from '@parley/api/common'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import type { Context } from '../context.ts'
import { Actor } from './actor.ts'
import { databaseUrl } from './global-setup.ts'
import { s3Credentials } from './peers/s3-server.ts'
import { recordStatements } from './row-types/recorder.ts'
import type * as Parts from './server-parts.ts'

const { PARLEY_DIST } = process.env
const partsFile = PARLEY_DIST ? pathToFileURL(join(PARLEY_DIST, 'server/testParts.js')).href : './server-parts.ts'
const { buildApp, closeContext, createContext, createRealm, createUser, readConfig, transactIn }: typeof Parts =
  await import(partsFile)

/** The standing cast: one user of each role, and a second member. */
const cast = {
  olga: roles.owner,
  adam: roles.admin,
  mona: roles.moderator,
  ann: roles.member,
  ben: roles.member,
  gus: roles.guest,
} as const

export interface World extends Record<keyof typeof cast, Actor> {
  realmId: number
  host: string
  ctx: Context
  app: FastifyInstance
  /** Connects as the owner of the database; the server itself may only change rows. */
  ownerUrl: string
  /** Creates another user. */
  add(name: string, role?: Role, more?: { bot_type?: number; bot_owner_id?: number }): Promise<Actor>
}

if (process.env.PARLEY_TEST_STATEMENTS) recordStatements(process.env.PARLEY_TEST_STATEMENTS)

let shared: Promise<{ ctx: Context; app: FastifyInstance; ownerUrl: string }> | undefined
const cleanUps: (() => Promise<void>)[] = []

after(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

/** A realm for one test, with the cast in it, on the database of the test file. */
export async function newWorld(): Promise<World> {
  const { ctx, app, ownerUrl } = await emptyServer()
  const host = `${randomUUID().slice(0, 8)}.test`
  const realmId = await createRealm(ctx, { string_id: host.replace('.', '-'), host, name: 'Test' })
  const addAll = (people: Person[]) => addActors(ctx, app, realmId, host, people)
  const add: World['add'] = async (name, role = roles.member, more = {}) =>
    (await addAll([{ name, role, ...more }]))[0]!
  const actors = await addAll(Object.entries(cast).map(([name, role]) => ({ name, role })))
  const byName = Object.fromEntries(Object.keys(cast).map((name, index) => [name, actors[index]]))
  return { ...(byName as Record<keyof typeof cast, Actor>), realmId, host, ctx, app, ownerUrl, add }
}

/** The server of the test file, without any realm if there was no `newWorld` before. */
export function emptyServer() {
  shared ??= startServer()
  return shared
}

async function startServer() {
  const ownerUrl = await createDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const config = readConfig('production', {
    LOG_LEVEL: 'error',
    DATA_DIR: dataDir,
    FILES_URL: process.env.PARLEY_TEST_FILES_URL?.replace('/test?', `/${randomUUID()}?`),
    ...s3Credentials,
    SECRET_KEY: 'a secret only for the tests of Parley',
    RATE_LIMIT: '0',
    DATABASE_POOL: '6',
    BIG_BLUE_BUTTON_URL: 'https://calls.example.com/bigbluebutton',
    BIG_BLUE_BUTTON_SECRET: 'a secret only for the tests of Parley',
  })
  const ctx = await createContext(config, withoutWaiting(asServer(ownerUrl)))
  cleanUps.push(async () => {
    await closeContext(ctx)
    await rm(dataDir, { recursive: true, force: true })
  })
  const app = buildApp(ctx)
  cleanUps.push(() => app.close())
  await app.ready()
  return { ctx, app, ownerUrl }
}

/** A copy of the migrated template, created in 50 ms. */
export async function createDatabase(): Promise<string> {
  const server = process.env.PARLEY_TEST_DATABASE
  if (!server) throw new Error('run tests with npm test, or set PARLEY_TEST_DATABASE to a PostgreSQL superuser URL')
  const name = `parley_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query('select pg_advisory_lock(4711)') // a template can be copied by one connection at a time
  await client.query(`create database ${name} template parley_template`)
  await client.end()
  cleanUps.push(() => dropDatabase(server, name))
  return databaseUrl(server, name)
}

/** Connects to a test database as the role that serves requests, which may only change rows. */
export function asServer(url: string): string {
  return databaseUrl(process.env.PARLEY_TEST_SERVER!, new URL(url).pathname.slice(1))
}

/** Commits do not wait for the disk: these tests end no PostgreSQL. */
function withoutWaiting(url: string): string {
  const fast = new URL(url)
  fast.searchParams.set('options', '-c synchronous_commit=off')
  return fast.toString()
}

async function dropDatabase(server: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`drop database if exists ${name} with (force)`)
  await client.end()
}

interface Person {
  name: string
  role: Role
  bot_type?: number
  bot_owner_id?: number
}

/** Creates users in one transaction: most tests spend more time on their world than on their rule. */
async function addActors(
  ctx: Context,
  app: FastifyInstance,
  realmId: number,
  host: string,
  people: Person[],
): Promise<Actor[]> {
  const { realm } = await ctx.realms.get(realmId)
  const users = await transactIn(ctx, realmId, async (tx) => {
    const created = []
    for (const { name, ...params } of people) {
      const full_name = name[0]!.toUpperCase() + name.slice(1)
      created.push(await createUser(tx, ctx.vault, realm, { email: `${name}@${host}`, full_name, ...params }))
    }
    return created
  })
  const keys = await readKeys(
    ctx,
    users.map(({ id }) => id),
  )
  return users.map(({ id, full_name, email }) => new Actor(app, id, full_name, { host, email, key: keys.get(id)! }))
}

async function readKeys({ db, vault }: Context, userIds: number[]): Promise<Map<number, string>> {
  const rows = await db.selectFrom('users').select(['id', 'api_key_sealed']).where('id', 'in', userIds).execute()
  return new Map(rows.map(({ id, api_key_sealed }) => [id, vault.open(api_key_sealed)]))
}

/** Gives actors their new keys after the old ones were revoked. */
export async function renewKeys({ ctx }: World, ...actors: Actor[]): Promise<void> {
  const ids = actors.map(({ id }) => id)
  const keys = await readKeys(ctx, ids)
  for (const { id, credentials } of actors) credentials.key = keys.get(id)!
}
