import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import type { ChannelObject } from '@parley/api/conversations/channels'
import { addReaction } from '@parley/api/conversations/reactions'
import { subscribe } from '@parley/api/conversations/subscriptions'
import * as accounts from '@parley/api/identity/accounts'
import { operations } from '@parley/api/operations'
import { updatePresence } from '@parley/api/people/presence'
import { sql } from 'kysely'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { buildApp } from '../../http/app.ts'
import { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld } from '../../testing/world.ts'

const { adam, mona, ann, ben, gus, add, ctx } = await newWorld()

type User = { user_id: number; full_name: string; delivery_email?: string | null }

async function seenBy(viewer: Actor, user: Actor): Promise<User> {
  const { realm_users } = await viewer.registers({ fetch_event_types: ['realm_user'] })
  return (realm_users as User[]).find(({ user_id }) => user_id === user.id)!
}

/** Changes a row behind the server's back, so that only a registration that loads it again shows it. */
async function renameSilently({ id }: Actor, full_name: string): Promise<void> {
  await ctx.db.updateTable('users').set({ full_name }).where('id', '=', id).execute()
}

test('users are loaded once for all callers of a role, and again after a change', async () => {
  await seenBy(ann, ben)
  await renameSilently(ben, 'Benedict')
  assert.equal((await seenBy(ben, ben)).full_name, 'Ben')
  await adam.does(accounts.updateUser, { path: { user_id: mona.id }, full_name: 'Ramona' })
  assert.equal((await seenBy(ann, ben)).full_name, 'Benedict')
  assert.equal((await seenBy(ann, mona)).full_name, 'Ramona')
})

test('messages, reactions and flags do not make registrations load users again', async () => {
  await seenBy(ann, ben)
  await renameSilently(ben, 'Bertram')
  const id = await ann.sends({ to: [ben] })
  await ben.does(addReaction, { path: { message_id: id }, emoji_name: 'tada' })
  await ben.does(operations.updateMessageFlags, { op: 'add', flag: 'read', messages: [id] })
  assert.equal((await seenBy(ann, ben)).full_name, 'Benedict')
})

test('an email that is hidden from others of the same role is shown to its owner only', async () => {
  await ann.does(operations.updateSettings, { email_address_visibility: 4 })
  assert.equal((await seenBy(ann, ann)).delivery_email, ann.credentials.email)
  assert.equal((await seenBy(ben, ann)).delivery_email, null)
  assert.equal((await seenBy(adam, ann)).delivery_email, null)
})

test('a private channel is listed for its members only, after others registered', async () => {
  await ann.does(subscribe, { subscriptions: [{ name: 'den' }], invite_only: true })
  const lists = async (viewer: Actor) => {
    const { streams } = await viewer.registers({ fetch_event_types: ['stream'] })
    return (streams as { name: string }[]).some(({ name }) => name === 'den')
  }
  assert.deepEqual(await Promise.all([adam, ann, ben, gus].map(lists)), [true, true, false, false])
})

test('a change made by another process is in the next registration', async () => {
  const other = await createContext(ctx.config, ctx.pool.options.connectionString!)
  const app = buildApp(other)
  await seenBy(ann, ben)
  const far = new Actor(app, adam.id, adam.name, adam.credentials)
  await far.does(accounts.updateUser, { path: { user_id: ben.id }, full_name: 'Benjamin' })
  assert.equal((await seenBy(ann, ben)).full_name, 'Benjamin')
  await app.close()
  await closeContext(other)
})

type Unread = { unread_msgs: { streams: { topic: string }[] } }

test('a topic that was renamed has its new name in the next registration', async () => {
  await inChannel('verona', [ann, ben])
  await ann.sends({ channel: 'verona', topic: 'castle' })
  const topics = async () => {
    const { unread_msgs } = (await ben.registers({
      fetch_event_types: ['message', 'update_message_flags'],
    })) as never as Unread
    return unread_msgs.streams.map(({ topic }) => topic)
  }
  assert.ok((await topics()).includes('castle'))
  await sql`update topics set name = 'tower', name_key = 'tower' where name = 'castle'`.execute(ctx.db)
  assert.deepEqual([(await topics()).includes('tower'), (await topics()).includes('castle')], [true, false])
})

async function presentFor(viewer: Actor): Promise<number[]> {
  const { presences } = await viewer.registers({ fetch_event_types: ['presence'], slim_presence: true })
  return Object.keys(presences as object).map(Number)
}

test('presences that were updated since the last registration are in the next, and those of deactivated users are not', async () => {
  const cyd = await add('cyd', roles.member)
  await ben.does(updatePresence, { status: 'active' })
  assert.deepEqual(await presentFor(ann), [ben.id])
  await cyd.does(updatePresence, { status: 'active' })
  assert.deepEqual((await presentFor(ann)).sort(), [ben.id, cyd.id].sort())
  await adam.does(accounts.deactivateUser, { path: { user_id: cyd.id } })
  assert.deepEqual(await presentFor(ann), [ben.id])
})

test('a new message makes a channel recently active again', async () => {
  const id = await inChannel('attic', [ann])
  await sql`update messages set date_sent = now() - interval '200 days' where channel_id = ${id}`.execute(ctx.db)
  const isActive = async () => {
    const { streams } = await ben.registers({ fetch_event_types: ['stream'] })
    return (streams as ChannelObject[]).find(({ stream_id }) => stream_id === id)!.is_recently_active
  }
  assert.equal(await isActive(), false)
  await ann.sends({ channel: 'attic' })
  assert.equal(await isActive(), true)
})
