import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDrafts } from '@parley/api/conversations/drafts'
import { addReaction } from '@parley/api/conversations/reactions'
import { deleteScheduledMessage, scheduleMessage } from '@parley/api/conversations/scheduled'
import { addSubmessage } from '@parley/api/conversations/widgets'
import { createBot, updateBot } from '@parley/api/delivery/bots'
import { addFcmToken, removeFcmToken } from '@parley/api/delivery/push'
import { storageLimits } from '@parley/api/limits'
import type { Operation } from '@parley/api/operation'
import { addAlertWords } from '@parley/api/people/alert-words'
import { createSavedSnippet } from '@parley/api/people/snippets'
import { type RawBuilder, sql } from 'kysely'
import { newWorld } from '../../testing/world.ts'

/** Each kind of storage: how to fill it to one below its limit, and a request that adds one more. */
const kinds: [
  string,
  number,
  (realm: number, user: number) => RawBuilder<unknown>,
  Operation,
  (n: number) => object,
][] = [
  [
    'drafts',
    storageLimits.drafts,
    (realm, user) => sql`insert into drafts (realm_id, user_id, type, recipients, topic, content, last_edited)
        select ${realm}, ${user}, '', '{}', '', 'x', now()`,
    createDrafts as Operation,
    () => ({ drafts: [{ type: '', to: [], topic: '', content: 'x' }] }),
  ],
  [
    'saved snippets',
    storageLimits.savedSnippets,
    (realm, user) => sql`insert into saved_snippets (realm_id, user_id, title, content)
        select ${realm}, ${user}, 'x', 'x'`,
    createSavedSnippet as Operation,
    () => ({ title: 'x', content: 'x' }),
  ],
  [
    'alert words',
    storageLimits.alertWords,
    (realm, user) => sql`insert into alert_words (realm_id, user_id, word, word_key)
        select ${realm}, ${user}, n::text, n::text`,
    addAlertWords as Operation,
    (n) => ({ alert_words: [`more ${n}`] }),
  ],
  [
    'push tokens',
    storageLimits.pushTokens,
    (realm, user) => sql`insert into push_tokens (realm_id, user_id, kind, token)
        select ${realm}, ${user}, 'fcm', n::text`,
    addFcmToken as Operation,
    (n) => ({ token: `more ${n}` }),
  ],
]

for (const [things, limit, fill, operation, more] of kinds)
  test(`the number of ${things} per user is limited, and others are not affected`, async () => {
    const { ann, ben, ctx, realmId } = await newWorld()
    await sql`${fill(realmId, ann.id)} from generate_series(1, ${limit - 1}) as n`.execute(ctx.db)
    await ann.does(operation, more(1) as never)
    const { code, msg } = await ann.isRefused(operation, more(2) as never)
    assert.equal(code, 'BAD_REQUEST')
    assert.match(msg, new RegExp(`at most ${limit} .*Delete some`))
    await ben.does(operation, more(1) as never)
  })

test('concurrent requests do not exceed a limit together', async () => {
  const { ann, ctx, realmId } = await newWorld()
  await sql`insert into push_tokens (realm_id, user_id, kind, token)
            select ${realmId}, ${ann.id}, 'fcm', n::text from generate_series(1, ${storageLimits.pushTokens - 1}) as n`.execute(
    ctx.db,
  )
  const tokens = ['a', 'b', 'c', 'd']
  const answers = await Promise.all(tokens.map((token) => ann.request(addFcmToken as Operation, { token })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
  const kept = tokens.find((_, index) => answers[index]!.status === 200)!
  await ann.does(addFcmToken, { token: kept })
  await ann.does(removeFcmToken, { token: kept })
  await ann.does(addFcmToken, { token: 'e' })
})

test('the number of scheduled messages per user is limited; deleting one makes room', async () => {
  const { ann, ctx, realmId } = await newWorld()
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 3600
  const wanted = { type: 'direct' as const, to: [ann.id], content: 'x', scheduled_delivery_timestamp }
  const { scheduled_message_id } = await ann.does(scheduleMessage, wanted)
  await sql`
    insert into scheduled_messages (realm_id, user_id, type, recipients, content, rendered_content, delivery_time,
                                    read_by_sender, client)
    select realm_id, user_id, type, recipients, content, rendered_content, delivery_time, read_by_sender, client
      from scheduled_messages, generate_series(2, ${storageLimits.scheduledMessages})
     where realm_id = ${realmId} and id = ${scheduled_message_id}`.execute(ctx.db)
  assert.match((await ann.isRefused(scheduleMessage, wanted)).msg, /at most 1000 scheduled messages/)
  await ann.does(deleteScheduledMessage, { path: { scheduled_message_id } })
  await ann.does(scheduleMessage, wanted)
})

test('the number of bots per owner is limited, also for bots that others give them', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  const { user_id: bot_id } = await ben.does(createBot, { full_name: 'Given', short_name: 'given' })
  await ann.does(createBot, { full_name: 'First', short_name: 'first' })
  await sql`
    insert into users (realm_id, email, email_key, full_name, role, bot_type, bot_owner_id, api_key_hash, api_key_sealed)
    select u.realm_id, n || u.email, n || u.email_key, u.full_name || n, u.role, u.bot_type, u.bot_owner_id,
           decode(md5(u.id || '-' || n), 'hex'), u.api_key_sealed
      from users u, generate_series(2, ${storageLimits.activeBots}) as n
     where u.realm_id = ${realmId} and u.bot_owner_id = ${ann.id}`.execute(ctx.db)
  const { msg } = await ann.isRefused(createBot, { full_name: 'Last', short_name: 'last' })
  assert.match(msg, /at most 100 active bots/)
  assert.equal((await ben.isRefused(updateBot, { path: { bot_id }, bot_owner_id: ann.id })).msg, msg)
})

test('a message has a limited number of different reactions, but any number of users can share one', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  const message_id = await ann.sends({ to: [ben] })
  const path = { message_id }
  await ann.does(addReaction, { path, emoji_name: 'tada' })
  await sql`
    insert into reactions (realm_id, message_id, user_id, emoji_name, emoji_code, reaction_type)
    select ${realmId}, ${message_id}, ${ann.id}, 'x', n::text, 'unicode_emoji'
      from generate_series(2, ${storageLimits.emojiPerMessage}) as n`.execute(ctx.db)
  assert.match((await ann.isRefused(addReaction, { path, emoji_name: 'smile' })).msg, /at most 100 different/)
  await ben.does(addReaction, { path, emoji_name: 'tada' })
})

test('a poll takes a limited number of changes from one user', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  const message_id = await ann.sends({ to: [ben], content: '/poll Tea?\nyes' })
  const vote = { message_id, msg_type: 'widget', content: '{"type":"vote","key":"canned,0","vote":1}' } as const
  await ben.does(addSubmessage, vote)
  await sql`
    insert into submessages (realm_id, message_id, sender_id, msg_type, content)
    select ${realmId}, ${message_id}, ${ben.id}, 'widget', ${vote.content}
      from generate_series(2, ${storageLimits.submessagesPerUserAndMessage})`.execute(ctx.db)
  assert.match((await ben.isRefused(addSubmessage, vote)).msg, /too many changes/)
  await ann.does(addSubmessage, vote)
})

test('a poll takes a limited amount of text from one user', async () => {
  const { ann, ben } = await newWorld()
  const message_id = await ann.sends({ to: [ben], content: '/poll Tea?\nyes' })
  const add = (idx: number) => ({
    message_id,
    msg_type: 'widget' as const,
    content: JSON.stringify({ type: 'new_option', option: 'x'.repeat(9000), idx }),
  })
  for (let idx = 1; idx <= 5; idx++) await ben.does(addSubmessage, add(idx))
  assert.match((await ben.isRefused(addSubmessage, add(6))).msg, /too many changes/)
  await ann.does(addSubmessage, add(7))
})
