import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { getMessageHistory } from '@parley/api/conversations/editing'
import { addAlertWords } from '@parley/api/people/alert-words'
import { column } from '../../../platform/db/query.ts'
import { inChannel, joins } from '../../../testing/channels.ts'
import { configureRealm } from '../../../testing/configure-realm.ts'
import { age, edits, mayNotEdit, sees } from '../../../testing/editing.ts'
import { newWorld } from '../../../testing/world.ts'

async function inVerona() {
  const world = await newWorld()
  const { ann, ben } = world
  const channel = await inChannel('verona', [ann, ben])
  const id = await ann.sends({ channel: 'verona', topic: 'castle', content: 'hello' })
  return { ...world, world, channel, id }
}

test('all readers see the content that the author edited', async () => {
  const { ann, ben, id } = await inVerona()
  assert.deepEqual((await edits(ann, id, { content: 'good **bye**' })).detached_uploads, [])
  const message = await sees(ben, id)
  assert.equal(message.content, '<p>good <strong>bye</strong></p>')
  assert.equal(message.edit_history?.length, 1)
  const [entry] = message.edit_history!
  assert.deepEqual(entry, {
    user_id: ann.id,
    timestamp: entry!.timestamp,
    prev_content: 'hello',
    prev_rendered_content: '<p>hello</p>',
  })
  assert.equal(message.last_edit_timestamp, entry!.timestamp)
  assert.equal(message.last_moved_timestamp, undefined)
})

test('the event of an edit has the old and new content and the flags of each reader', async () => {
  const { ann, ben, gus, channel, id } = await inVerona()
  await joins(ben, 'verona')
  await ann.registers()
  await ben.registers()
  await gus.registers()
  await edits(ann, id, { content: '/me waves at @**Ben**' })
  const [event] = await ben.receives('update_message')
  assert.deepEqual(event, {
    id: event!.id,
    type: 'update_message',
    user_id: ann.id,
    rendering_only: false,
    message_id: id,
    message_ids: [id],
    flags: ['mentioned'],
    edit_timestamp: event!.edit_timestamp,
    stream_id: channel,
    stream_name: 'verona',
    orig_content: 'hello',
    orig_rendered_content: '<p>hello</p>',
    content: '/me waves at @**Ben**',
    rendered_content: event!.rendered_content,
    is_me_message: true,
  })
  assert.deepEqual((await ann.receives('update_message'))[0]!.flags, [])
  assert.deepEqual(await gus.receives('update_message'), [])
})

test('the event of a direct message edit reaches its participants only and names no channel', async () => {
  const { ann, ben, mona } = await newWorld()
  const id = await ann.sends({ to: [ben] })
  await ben.registers()
  await mona.registers()
  await edits(ann, id, { content: 'again' })
  const [event] = await ben.receives('update_message')
  assert.deepEqual([event!.content, event!.stream_id, event!.orig_subject], ['again', undefined, undefined])
  assert.deepEqual(await mona.receives('update_message'), [])
  await mayNotEdit(ben, id, { content: 'mine' })
})

test('only the author may edit content, not even administrators', async () => {
  const { ben, adam, olga, id } = await inVerona()
  for (const one of [ben, adam, olga]) assert.equal((await mayNotEdit(one, id, { content: 'x' })).code, 'BAD_REQUEST')
})

test('editing a hidden message fails exactly like editing one that does not exist', async () => {
  const { ann, ben, gus, id } = await inVerona()
  const direct = await ann.sends({ to: [ben] })
  const missing = await mayNotEdit(gus, 999_999, { content: 'x' })
  assert.deepEqual(await mayNotEdit(gus, id, { content: 'x' }), missing)
  assert.deepEqual(await mayNotEdit(gus, direct, { content: 'x' }), missing)
  assert.deepEqual(await mayNotEdit((await newWorld()).olga, id, { topic: 'x' }), missing)
})

test('content can be edited until 20 seconds after the limit of the organization', async () => {
  const { ann, world, id } = await inVerona()
  await age(world, [id], 617)
  await edits(ann, id, { content: 'in time' })
  await age(world, [id], 621)
  await mayNotEdit(ann, id, { content: 'late' })
  await configureRealm(world, { message_content_edit_limit_seconds: null })
  await edits(ann, id, { content: 'no limit' })
  await configureRealm(world, { allow_message_editing: false })
  await mayNotEdit(ann, id, { content: 'off' })
  await edits(ann, id, { topic: 'moves are not edits' })
})

test('an edit to the same content changes nothing', async () => {
  const { ann, ben, id } = await inVerona()
  await ben.registers()
  assert.deepEqual((await edits(ann, id, { content: 'hello\n' })).detached_uploads, [])
  assert.deepEqual(await ben.receives('update_message'), [])
  assert.equal((await sees(ann, id)).edit_history, undefined)
  await mayNotEdit(ben, id, { content: 'hello' })
})

test('an edit fails if prev_content_sha256 does not match the current content', async () => {
  const { ann, id } = await inVerona()
  const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
  await edits(ann, id, { content: 'first', prev_content_sha256: sha256('hello') })
  const refused = await mayNotEdit(ann, id, { content: 'second', prev_content_sha256: sha256('hello') })
  assert.equal(refused.code, 'EXPECTATION_MISMATCH')
  assert.equal((await sees(ann, id)).content, '<p>first</p>')
})

test('one request cannot change both content and channel', async () => {
  const { ann, channel, id } = await inVerona()
  const other = await inChannel('rome', [ann])
  await mayNotEdit(ann, id, { content: 'x', stream_id: other })
  await mayNotEdit(ann, id, { content: 'x', stream_id: channel })
})

test('a request that changes nothing, or propagates a content change, is refused', async () => {
  const { ann, ben, channel, id } = await inVerona()
  const direct = await ann.sends({ to: [ben] })
  await mayNotEdit(ann, id, {})
  await mayNotEdit(ann, id, { topic: ' castle ' })
  await mayNotEdit(ann, id, { stream_id: channel })
  await mayNotEdit(ann, id, { content: 'x', propagate_mode: 'change_all' })
  await mayNotEdit(ann, id, { content: 'x', propagate_mode: 'change_some' })
  await mayNotEdit(ann, direct, { topic: 'x' })
  await mayNotEdit(ann, direct, { stream_id: channel })
  assert.equal((await mayNotEdit(ann, id, { topic: 'a', subject: 'b' })).code, 'REQUEST_CONFUSING_VAR')
})

test('content is truncated to the maximum length, and empty content becomes "(deleted)"', async () => {
  const { ann, id } = await inVerona()
  await edits(ann, id, { content: 'x'.repeat(10_500) })
  const history = (await ann.does(getMessageHistory, { path: { message_id: id } })).message_history
  assert.equal(history.at(-1)!.content!.length, 10_000)
  await edits(ann, id, { content: ' \n ' })
  assert.equal((await sees(ann, id)).content, '<p>(deleted)</p>')
})

test('an edit changes the mention flags and does not make the message unread', async () => {
  const { ann, ben, mona, id } = await inVerona()
  await joins(mona, 'verona')
  await edits(ann, id, { content: '@**Ben** @**Mona** come' })
  assert.deepEqual((await sees(ben, id)).flags, ['mentioned'])
  assert.deepEqual((await sees(mona, id)).flags, ['read', 'historical'])
  await edits(ann, id, { content: '@**all** come' })
  assert.deepEqual((await sees(ben, id)).flags, ['stream_wildcard_mentioned', 'wildcard_mentioned'])
  await edits(ann, id, { content: '@**topic** come' })
  assert.deepEqual((await sees(ben, id)).flags, [])
  assert.deepEqual((await sees(ann, id)).flags, ['topic_wildcard_mentioned', 'wildcard_mentioned'])
  await edits(ann, id, { content: 'stay' })
  assert.deepEqual((await sees(ann, id)).flags, [])
})

test('adding a wildcard mention needs permission if it reaches many users', async () => {
  const { ann, olga, world } = await inVerona()
  const users = []
  for (let n = 0; n < 15; n++) users.push(await world.add(`p${n}`))
  await inChannel('crowd', [ann, olga, ...users])
  const id = await ann.sends({ channel: 'crowd', topic: 'noise' })
  for (const one of users) await one.sends({ channel: 'crowd', topic: 'noise' })
  assert.equal((await mayNotEdit(ann, id, { content: '@**all**' })).code, 'STREAM_WILDCARD_MENTION_NOT_ALLOWED')
  assert.equal((await mayNotEdit(ann, id, { content: '@**topic**' })).code, 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED')
  const own = await olga.sends({ channel: 'crowd', topic: 'noise' })
  await edits(olga, own, { content: '@**all** @**topic**' })
})

test('keeping an existing wildcard mention needs no permission', async () => {
  const { ann, world } = await inVerona()
  await inChannel('crowd', [ann])
  const content = 'come @**all** @**topic**'
  const id = await ann.sends({ channel: 'crowd', topic: 'noise', content })
  const users = []
  for (let n = 0; n < 15; n++) users.push(await world.add(`p${n}`))
  await inChannel('crowd', users)
  for (const one of users) await one.sends({ channel: 'crowd', topic: 'noise' })
  await edits(ann, id, { content: `${content} now` })
  await edits(ann, id, { content: '@_**all** @_**topic** now' })
  assert.equal((await mayNotEdit(ann, id, { content: '@**all**' })).code, 'STREAM_WILDCARD_MENTION_NOT_ALLOWED')
  assert.equal((await mayNotEdit(ann, id, { content: '@**topic**' })).code, 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED')
})

test('an edit cannot add a mention of a group that the author may not mention', async () => {
  const { ann, id } = await inVerona()
  await mayNotEdit(ann, id, { content: '@*role:administrators*' })
})

test('the history has every version, oldest first', async () => {
  const { ann, ben, channel, id } = await inVerona()
  const rome = await inChannel('rome', [ann, ben])
  await edits(ann, id, { content: 'hello world' })
  await edits(ben, id, { topic: 'tower' })
  await edits(ann, id, { stream_id: rome })
  await edits(ann, id, { content: 'bye', topic: 'gate' })
  const { message_history: history } = await ben.does(getMessageHistory, { path: { message_id: id } })
  const [first, second, third, fourth, fifth] = history
  assert.equal(history.length, 5)
  assert.deepEqual(
    [first!.user_id, first!.topic, first!.content, first!.prev_topic],
    [ann.id, 'castle', 'hello', undefined],
  )
  assert.deepEqual(second, {
    user_id: ann.id,
    timestamp: second!.timestamp,
    topic: 'castle',
    content: 'hello world',
    rendered_content: '<p>hello world</p>',
    prev_content: 'hello',
    prev_rendered_content: '<p>hello</p>',
    content_html_diff: '<p>hello<span class="highlight_text_inserted"> world</span></p>',
  })
  assert.deepEqual([third!.user_id, third!.topic, third!.prev_topic], [ben.id, 'tower', 'castle'])
  assert.deepEqual([fourth!.stream, fourth!.prev_stream, fourth!.prev_topic], [rome, channel, undefined])
  assert.deepEqual(
    [fifth!.content, fifth!.prev_content, fifth!.topic, fifth!.prev_topic],
    ['bye', 'hello world', 'gate', 'tower'],
  )
  const message = await sees(ann, id)
  assert.deepEqual(
    message.edit_history!.map(({ prev_content, prev_topic, prev_stream }) => [prev_content, prev_topic, prev_stream]),
    [
      ['hello world', 'tower', undefined],
      [undefined, undefined, channel],
      [undefined, 'castle', undefined],
      ['hello', undefined, undefined],
    ],
  )
})

test('an organization can hide the history, or show moves only', async () => {
  const { ann, ben, gus, world, id } = await inVerona()
  await edits(ann, id, { content: 'secret' })
  await edits(ann, id, { content: 'both', topic: 'tower' })
  await configureRealm(world, { message_edit_history_visibility_policy: 'moves' })
  const moves = await sees(ben, id)
  const [entry] = moves.edit_history!
  assert.equal(moves.edit_history!.length, 1)
  assert.deepEqual(entry, { user_id: ann.id, timestamp: entry!.timestamp, prev_topic: 'castle', topic: 'tower' })
  const { message_history } = await ben.does(getMessageHistory, { path: { message_id: id } })
  assert.deepEqual(Object.keys(message_history.at(-1)!).sort(), ['prev_topic', 'timestamp', 'topic', 'user_id'])
  assert.equal(message_history.length, 2)
  await configureRealm(world, { message_edit_history_visibility_policy: 'none' })
  const hidden = await sees(ben, id)
  assert.equal(hidden.edit_history, undefined)
  assert.ok(hidden.last_edit_timestamp && hidden.last_moved_timestamp)
  await ben.isRefused(getMessageHistory, { path: { message_id: id } })
  await configureRealm(world, { message_edit_history_visibility_policy: 'all' })
  await gus.isRefused(getMessageHistory, { path: { message_id: id } })
})

test('an edit returns files that no message links to any more, and attaches only files that the author may read', async () => {
  const { ann, ben, world, id } = await inVerona()
  const { ctx, realmId } = world
  const [own, others] = await column<number>(ctx.db)`
    insert into attachments (realm_id, owner_id, name, path_id, content_type, size)
    select ${realmId}, owner, 'cat.png', path, 'image/png', 7
      from unnest(${[ann.id, ben.id]}::bigint[], ${['1/aa/cat.png', '1/bb/dog.png']}::text[]) as f(owner, path)
    returning id`
  const linked = async () => {
    const links = await ctx.db
      .selectFrom('attachment_messages')
      .select('attachment_id')
      .where('realm_id', '=', realmId)
      .where('message_id', '=', id)
      .execute()
    return links.map(({ attachment_id }) => attachment_id)
  }
  const both = '[a](/user_uploads/1/aa/cat.png) [b](/user_uploads/1/bb/dog.png)'
  assert.deepEqual((await edits(ann, id, { content: both })).detached_uploads, [])
  assert.deepEqual(await linked(), [own])
  const shared = await ben.sends({ channel: 'verona' })
  await edits(ben, shared, { content: both })
  await edits(ann, id, { content: `${both}!` })
  assert.deepEqual((await linked()).sort(), [own, others].sort())
  assert.deepEqual((await edits(ann, id, { content: 'none' })).detached_uploads, [])
  await edits(ann, id, { content: both })
  await edits(ben, shared, { content: 'none' })
  const { detached_uploads } = await edits(ann, id, { content: 'none' })
  const [detached] = detached_uploads
  assert.deepEqual(detached_uploads, [
    { id: own, name: 'cat.png', path_id: '1/aa/cat.png', size: 7, create_time: detached!.create_time, messages: [] },
  ])
  assert.deepEqual(await linked(), [])
})

test('an edit sets the alert word flag, and clears it when the word is removed', async () => {
  const { ann, ben, id } = await inVerona()
  await ben.does(addAlertWords, { alert_words: ['fire'] })
  await edits(ann, id, { content: 'Fire!' })
  assert.deepEqual((await sees(ben, id)).flags, ['has_alert_word'])
  await edits(ann, id, { content: 'water' })
  assert.deepEqual((await sees(ben, id)).flags, [])
})

test('a poll cannot be edited but can be moved', async () => {
  const { ann } = await inVerona()
  const id = await ann.sends({ channel: 'verona', topic: 'castle', content: '/poll When?\nnow\nlater' })
  await mayNotEdit(ann, id, { content: 'never' })
  await edits(ann, id, { topic: 'tower' })
})

test('the event of an edit omits the old content if the edit history does not show it', async () => {
  const { ann, ben, world, id } = await inVerona()
  for (const policy of ['moves', 'none']) {
    await configureRealm(world, { message_edit_history_visibility_policy: policy })
    await ben.registers()
    await edits(ann, id, { content: `edited under ${policy}` })
    const [event] = await ben.receives('update_message')
    assert.equal(event?.content, `edited under ${policy}`)
    assert.deepEqual([event?.orig_content, event?.orig_rendered_content], [undefined, undefined])
  }
})
