import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { editMessage } from '@parley/api/conversations/editing'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { muteUser } from '@parley/api/conversations/muting'
import { updateSubscription } from '@parley/api/conversations/subscriptions'
import { setTopicPolicy } from '@parley/api/conversations/topics'
import { deactivateUser } from '@parley/api/identity/accounts'
import { createUserGroup } from '@parley/api/organization/groups'
import { addAlertWords } from '@parley/api/people/alert-words'
import { updateSettings } from '@parley/api/people/own-settings'
import { updatePresence } from '@parley/api/people/presence'
import { sql } from 'kysely'
import { findSystemBot } from '../../people/users/system-bots.ts'
import { column } from '../../platform/db/query.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { type EmailWorld, elapse, emailWorld, mailed, plan, sendDue } from '../../testing/email-world.ts'
import { planAfterEdit } from './jobs.ts'

/** Who got emails, in alphabetical order, and about what. */
async function recipients(world: EmailWorld): Promise<string[]> {
  const emails = await mailed(world)
  return emails.map(({ to, subject }) => `${to.split('@')[0]}: ${subject}`).toSorted()
}

async function waiting({ ctx, realmId }: EmailWorld): Promise<number[]> {
  return column<number>(ctx.db)`select message_id from email_notifications where realm_id = ${realmId} order by 1`
}

test('a direct message is mailed to its recipients, not to its sender', async () => {
  const world = await emailWorld()
  const { ann, ben, mona } = world
  await ben.sends({ to: [ann, mona], content: 'hi' })
  const emails = await mailed(world)
  assert.deepEqual(emails.map(({ to }) => to.split('@')[0]).toSorted(), ['ann', 'mona'])
  assert.match(emails[0]!.text, /because you have unread direct messages\./)
})

test('mentions by name, by group and of everyone are mailed', async () => {
  const world = await emailWorld()
  const { ann, ben, mona, gus, olga } = world
  await inChannel('verona', [olga, ann, ben, mona])
  await olga.does(createUserGroup, { name: 'cooks', description: '', members: [mona.id] })
  await ben.sends({ channel: 'verona', topic: 'name', content: '@**Ann** come' })
  await ben.sends({ channel: 'verona', topic: 'group', content: '@*cooks* come' })
  assert.deepEqual(await recipients(world), ['ann: #verona > name', 'mona: #verona > group'])
  const reasons = world.emails().map(({ text }) => /because (.*)\./.exec(text)![1])
  assert.deepEqual(reasons.toSorted(), ['a group that you belong to was mentioned', 'you were mentioned'])
  world.receiver.mail.length = 0
  await olga.sends({ channel: 'verona', topic: 'all', content: '@**all** come' })
  const all = ['ann: #verona > all', 'ben: #verona > all', 'mona: #verona > all']
  assert.deepEqual(await recipients(world), all)
  assert.match(world.emails()[0]!.text, /because everyone was mentioned\./)
  assert.ok(!all.some((one) => one.startsWith(gus.name.toLowerCase())))
})

test('mentions of everyone are not mailed to users who do not want them', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  await ann.does(updateSettings, { wildcard_mentions_notify: false })
  await ben.sends({ channel: 'verona', content: '@**all** come' })
  assert.deepEqual(await recipients(world), [])
})

test('alert words are mailed', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  await ann.does(addAlertWords, { alert_words: ['cake'] })
  await ben.sends({ channel: 'verona', topic: 'food', content: 'there is cake' })
  assert.deepEqual(await recipients(world), ['ann: #verona > food'])
  assert.match(world.emails()[0]!.text, /because a message contains one of your alert words\./)
})

test('followed topics are mailed, unless the user does not want that', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  const stream_id = await inChannel('verona', [ann, ben])
  await ann.does(setTopicPolicy, { stream_id, topic: 'news', visibility_policy: 3 })
  await ben.sends({ channel: 'verona', topic: 'other', content: 'quiet' })
  await ben.sends({ channel: 'verona', topic: 'news', content: 'one' })
  assert.deepEqual(await recipients(world), ['ann: #verona > news'])
  assert.match(world.emails()[0]!.text, /because you follow this topic\./)
  await ann.does(updateSettings, { enable_followed_topic_email_notifications: false })
  await ben.sends({ channel: 'verona', topic: 'news', content: 'two' })
  assert.equal((await recipients(world)).length, 1)
})

test('all messages of a channel are mailed if the user wants that, for all channels or for this one', async () => {
  const world = await emailWorld()
  const { ann, ben, mona } = world
  const verona = await inChannel('verona', [ann, ben, mona])
  await inChannel('den', [ann, ben, mona])
  await plan(world) // past the notices of the new channels
  const put = (actor: typeof ann, value: boolean) =>
    actor.does(updateSubscription, { path: { stream_id: verona }, property: 'email_notifications', value })
  await put(mona, true)
  await ann.does(updateSettings, { enable_stream_email_notifications: true })
  await put(ann, false)
  for (const channel of ['verona', 'den']) await ben.sends({ channel, topic: 'talk', content: 'hello' })
  assert.deepEqual(await recipients(world), ['ann: #den > talk', 'mona: #verona > talk'])
})

test('users who turned off emails get none about direct messages and mentions', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const off = { enable_offline_email_notifications: false, automatically_follow_topics_where_mentioned: false }
  await ann.does(updateSettings, off)
  await ben.sends({ to: [ann] })
  await ben.sends({ channel: 'verona', content: '@**Ann**' })
  assert.deepEqual(await recipients(world), [])
})

test('muted users, topics and channels are not mailed', async () => {
  const world = await emailWorld()
  const { ann, ben, mona } = world
  const stream_id = await inChannel('verona', [ann, ben, mona])
  await inChannel('den', [ann, ben])
  await plan(world) // past the notices of the new channels
  await ann.does(updateSettings, { enable_stream_email_notifications: true })
  await mona.does(updateSettings, { wildcard_mentions_notify: false })
  await ann.does(muteUser, { path: { muted_user_id: mona.id } })
  await ann.does(setTopicPolicy, { stream_id, topic: 'noise', visibility_policy: 1 })
  await mona.sends({ to: [ann] })
  await ben.sends({ channel: 'verona', topic: 'noise', content: '@**all**' })
  const den = (await ann.registers()).subscriptions!.find(({ name }) => name === 'den')!.stream_id
  await ann.does(updateSubscription, { path: { stream_id: den }, property: 'is_muted', value: true })
  await ben.sends({ channel: 'den', topic: 'talk', content: 'hello' })
  assert.deepEqual(await recipients(world), [])
})

test('what was read in the meantime is not mailed', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  const read = await ben.sends({ to: [ann], content: 'read' })
  await ben.sends({ to: [ann], content: 'unread' })
  await plan(world)
  await ann.does(updateMessageFlags, { messages: [read], op: 'add', flag: 'read' })
  const [email] = await mailed(world)
  assert.ok(email!.text.includes('unread') && !/^ +read$/m.test(email!.text))
})

test('what was deleted in the meantime is not mailed, and nothing of it stays', async () => {
  const world = await emailWorld()
  const { ann, ben, olga } = world
  const message_id = await ben.sends({ to: [ann, olga], content: 'oops' })
  await plan(world)
  assert.equal((await waiting(world)).length, 2)
  await olga.does(deleteMessage, { path: { message_id } })
  assert.deepEqual(await waiting(world), [])
  assert.deepEqual(await mailed(world), [])
})

test('users who lost access to a channel get no email about it', async () => {
  const world = await emailWorld()
  const { ann, ben, olga } = world
  await inChannel('den', [olga, ben, ann], { invite_only: true })
  await ben.sends({ channel: 'den', content: '@**Ann** secret' })
  await plan(world)
  await leaves(ann, 'den')
  assert.deepEqual(await mailed(world), [])
})

test('an email has the text at the time of sending', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  const message_id = await ben.sends({ to: [ann], content: 'frist' })
  await plan(world)
  await ben.does(editMessage, { path: { message_id }, content: 'first' })
  const [email] = await mailed(world)
  assert.ok(email!.text.includes('first') && !email!.text.includes('frist'))
})

test('deactivated users and bots get no emails', async () => {
  const world = await emailWorld()
  const { ann, ben, adam, add } = world
  const bot = await add('bot', 400, { bot_type: 1, bot_owner_id: ben.id })
  await ben.sends({ to: [bot] })
  await ben.sends({ to: [ann] })
  await plan(world)
  await adam.does(deactivateUser, { path: { user_id: ann.id } })
  assert.deepEqual(await mailed(world), [])
  assert.deepEqual(await waiting(world), [])
})

test('nothing is sent to an email that cannot exist', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx } = world
  await sql`update users set email = 'ann@nowhere.invalid' where id = ${ann.id}`.execute(ctx.db)
  await ben.sends({ to: [ann] })
  assert.deepEqual(await mailed(world), [])
})

test('new users get no email about what the Welcome Bot says', async () => {
  const world = await emailWorld()
  const { ann, ctx, realmId } = world
  const { realm } = await ctx.realms.get(realmId)
  const bot = await findSystemBot(ctx.db, realm, 'welcome')
  await ann.sends({ to: [{ id: bot.id }] as never })
  await sql`update messages set sender_id = ${bot.id} where realm_id = ${realmId}`.execute(ctx.db)
  assert.deepEqual(await mailed(world), [])
})

test('active users get no email until they have left', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx } = world
  await ann.does(updatePresence, { status: 'active', new_user_input: true })
  await ben.sends({ to: [ann], content: 'hello' })
  assert.deepEqual(await mailed(world), [])
  await sendDue(world) // nothing is due before the user may have left
  assert.equal((await waiting(world)).length, 1)
  await sql`update presence set last_active_time = now() - interval '1 hour' where user_id = ${ann.id}`.execute(ctx.db)
  await elapse(world)
  await sendDue(world)
  assert.equal(world.emails().length, 1)
})

test('a mention that an edit adds is mailed once, unless the message was read', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const [unread, read] = [
    await ben.sends({ channel: 'verona', topic: 'talk', content: 'unread' }),
    await ben.sends({ channel: 'verona', topic: 'talk', content: 'read' }),
  ]
  await ann.does(updateMessageFlags, { messages: [read], op: 'add', flag: 'read' })
  assert.deepEqual(await mailed(world), [])
  for (const message_id of [unread, read])
    await ben.does(editMessage, { path: { message_id }, content: `@**Ann** number ${message_id}` })
  const [email] = await mailed(world)
  assert.ok(email!.text.includes(`number ${unread}`) && !email!.text.includes(`number ${read}`))
  await ben.does(editMessage, { path: { message_id: unread }, content: '@**Ann** once more' })
  assert.equal((await mailed(world)).length, 1)
})

test('an edit that mentions a whole channel is mailed to its subscribers', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  await inChannel('verona', [ann, ben])
  const message_id = await ben.sends({ channel: 'verona', topic: 'talk', content: 'quiet' })
  assert.deepEqual(await mailed(world), [])
  await ben.does(editMessage, { path: { message_id }, content: '@**all** come' })
  await planAfterEdit(ctx, { realm_id: realmId, message_id })
  assert.deepEqual(await recipients(world), ['ann: #verona > talk'])
})
