import type { FastifyInstance } from 'fastify'
import type { Realm } from '../callers/realm-state.ts'
import { isLoopback } from '../config.ts'
import type { Say } from '../context.ts'
import { type Context, transactIn } from '../context.ts'
import { addAccount } from '../identity/accounts/create-account.ts'
import { createRealm } from '../identity/accounts/create-realm.ts'
import { hashPassword } from '../identity/passwords/passwords.ts'
import { grant } from '../people/users/actions.ts'
import { matches } from '../platform/db/matches.ts'
import { connectWithLock } from '../platform/db/pool.ts'
import { serveCommand } from '../platform/installation.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import {
  type DemoChannel,
  type DemoMessage,
  type DemoPerson,
  demoChannels,
  demoMessages,
  demoPassword,
  demoPeople,
} from './sample-content.ts'

const stringId = 'demo'
/** The advisory lock held while seeding, so that processes that start at the same time seed once. */
const lockKey = 7_201_842_118

/** A demo user, who calls the API like any client. */
interface Actor {
  id: number
  name: string
  post(path: string, params: Record<string, unknown>): Promise<{ id?: number }>
}

type Cast = Map<string, Actor>

/** Creates the demo's users, channels and messages once. An interrupted run is completed at the next start. */
export async function seedDemo(app: FastifyInstance, ctx: Context, say: Say): Promise<void> {
  await withLock(ctx, async () => {
    const realm = await demoRealm(ctx)
    if (await isComplete(ctx, realm)) return
    say('Creating users and messages for the demo …')
    const cast = await createPeople(app, ctx, realm)
    for (const channel of demoChannels) await createChannel(realm, cast, channel)
    for (const message of demoMessages) await sendOnce(ctx, realm, cast, message)
    await transactIn(ctx, realm.id, (tx) => tx.audit(null, 'demo_completed', {}))
    await ctx.renderer.release()
  })
}

/** The demo's password is public, so a demo database must not be served to other machines. */
export async function refusePublicDemo({ db, config }: Context): Promise<void> {
  if (isLoopback(config.host)) return
  const demo = await db.selectFrom('realms').select('id').where('string_id', '=', stringId).executeTakeFirst()
  if (demo)
    throw new StartupError(
      'This database contains the demo, whose password is public. Set DATA_DIR to a new folder, or unset HOST.',
    )
}

async function withLock(ctx: Context, work: () => Promise<void>): Promise<void> {
  const client = await connectWithLock(ctx.pool, lockKey)
  try {
    await work()
  } finally {
    client.release(true)
  }
}

/** The demo gives out every user's API key, so it refuses databases that contain a real organization. */
async function demoRealm(ctx: Context): Promise<Realm> {
  const realms = await ctx.db.selectFrom('realms').select(['id', 'string_id']).execute()
  const demo = realms.find(({ string_id }) => string_id === stringId)
  if (!demo && realms.length > 0)
    throw new StartupError(
      `This database contains an organization, and the demo would give out its API keys. Use ${serveCommand}, or set DATA_DIR to a new folder.`,
    )
  const id = demo?.id ?? (await createRealm(ctx, { string_id: stringId, host: null, name: 'Parley Demo' }))
  return (await ctx.realms.get(id)).realm
}

async function isComplete({ db }: Context, realm: Realm): Promise<boolean> {
  const mark = await db
    .selectFrom('audit_log')
    .select('id')
    .where(matches({ realm_id: realm.id, action: 'demo_completed' }))
    .executeTakeFirst()
  return mark !== undefined
}

async function createPeople(app: FastifyInstance, ctx: Context, realm: Realm): Promise<Cast> {
  const password_hash = await hashPassword(demoPassword) // shared: hashing takes a quarter of a second
  const cast: Cast = new Map()
  for (const person of demoPeople)
    cast.set(person.full_name, await createPerson(app, ctx, realm, person, password_hash))
  return cast
}

async function createPerson(
  app: FastifyInstance,
  ctx: Context,
  realm: Realm,
  { email, full_name, role, grants = [] }: DemoPerson,
  password_hash: string,
): Promise<Actor> {
  if (!(await findUser(ctx, realm, email))) await addAccount(ctx, realm, { email, full_name, role, password_hash })
  const user = (await findUser(ctx, realm, email))!
  if (grants.length > 0) await transactIn(ctx, realm.id, (tx) => grant(tx, user.id, grants))
  const credentials = Buffer.from(`${email}:${ctx.vault.open(user.api_key_sealed)}`).toString('base64')
  const post = (path: string, params: Record<string, unknown>) => call(app, `Basic ${credentials}`, path, params)
  return { id: user.id, name: full_name, post }
}

async function findUser({ db }: Context, realm: Realm, email: string) {
  return db
    .selectFrom('users')
    .select(['id', 'api_key_sealed'])
    .where(matches({ realm_id: realm.id, email_key: email }))
    .executeTakeFirst()
}

async function call(app: FastifyInstance, authorization: string, path: string, params: Record<string, unknown>) {
  const form = Object.entries(params).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const response = await app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Parley demo' },
    payload: new URLSearchParams(form).toString(),
  })
  if (response.statusCode !== 200) throw new Error(`Creating the demo failed: ${path}: ${response.body}`)
  return response.json<{ id?: number }>()
}

async function createChannel(realm: Realm, cast: Cast, channel: DemoChannel): Promise<void> {
  const { name, description, people, added, settings = {}, isAnnouncements } = channel
  const owner = cast.get('Olivia')!
  const members = people.map((person) => cast.get(person)!)
  await owner.post('/users/me/subscriptions', {
    subscriptions: [{ name, description }],
    ...settings,
    ...(isAnnouncements && { can_send_message_group: realm.systemGroups['role:moderators'] }),
  })
  const subscription = { subscriptions: [{ name }] }
  if (added) await owner.post('/users/me/subscriptions', { ...subscription, principals: members.map(({ id }) => id) })
  else for (const member of members) await member.post('/users/me/subscriptions', subscription)
}

async function sendOnce(ctx: Context, realm: Realm, cast: Cast, message: DemoMessage): Promise<void> {
  const sender = cast.get(message.from)!
  const sent = await ctx.db
    .selectFrom('messages')
    .select('id')
    .where(matches({ realm_id: realm.id, sender_id: sender.id, content: message.content }))
    .executeTakeFirst()
  if (sent) return
  const { content, reactions = {}, votes = [] } = message
  const { id } = await sender.post('/messages', { ...destinationOf(message, cast), content, read_by_sender: true })
  for (const [emoji_name, people] of Object.entries(reactions))
    for (const name of people) await cast.get(name)!.post(`/messages/${id}/reactions`, { emoji_name })
  for (const [option, people] of votes.entries()) for (const name of people) await vote(cast.get(name)!, id, option)
}

async function vote(voter: Actor, message_id: number | undefined, option: number): Promise<void> {
  const content = JSON.stringify({ type: 'vote', key: `canned,${option}`, vote: 1 })
  await voter.post('/submessage', { message_id, msg_type: 'widget', content })
}

function destinationOf({ channel, topic, to = [] }: DemoMessage, cast: Cast): Record<string, unknown> {
  if (channel === undefined) return { type: 'direct', to: to.map((name) => cast.get(name)!.id) }
  return { type: 'stream', to: channel, topic }
}
