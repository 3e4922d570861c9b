import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/messages'
import { register } from '@parley/api/queues'
import { sql } from 'kysely'
import type { Actor } from '../testing/actor.ts'
import { inChannel } from '../testing/channels.ts'
import { newWorld } from '../testing/world.ts'

async function search(actor: Actor, text: string, ...more: api.NarrowTerm[]) {
  const narrow: api.NarrowTerm[] = [['search', text], ...more]
  const { messages } = await actor.does(api.getMessages, { anchor: 'newest', num_before: 100, narrow })
  return messages
}

async function found(actor: Actor, text: string, ...more: api.NarrowTerm[]): Promise<number[]> {
  return (await search(actor, text, ...more)).map(({ id }) => id)
}

test('a word is found in any of its forms', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'we were meeting at dawn' })
  await ann.sends({ to: [ben], content: 'nothing of the kind' })
  assert.deepEqual(await found(ben, 'MEETINGS'), [id])
})

test('all words must be there, in the text or in the topic, whatever terms they stand in', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona', topic: 'Balcony scene', content: 'what light' })
  await ann.sends({ channel: 'verona', topic: 'feud', content: 'what light' })
  assert.deepEqual(await found(ann, 'balcony light'), [id])
  assert.deepEqual(await found(ann, 'balcony', ['search', 'light']), [id])
  assert.deepEqual(await found(ann, 'balcony darkness'), [])
})

test('words that say nothing do not count', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'the moon' })
  assert.deepEqual(await found(ben, 'of the moon'), [id])
  assert.deepEqual(await found(ben, 'the'), [])
})

test('quoted words must stand there literally', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'a 100% Full Moon, says one_two' })
  await ann.sends({ to: [ben], content: 'the moon was full' })
  assert.deepEqual(await found(ben, '"full moon"'), [id])
  assert.deepEqual(await found(ben, '"100% full"'), [id])
  assert.deepEqual(await found(ben, '"oneXtwo"'), [])
  assert.equal((await found(ben, 'full moon')).length, 2)
})

test('nobody finds what they may not read', async () => {
  const { ann, ben, mona } = await newWorld()
  await ann.sends({ to: [ben], content: 'quicksilver' })
  await inChannel('plot', [ann], { invite_only: true })
  await ann.sends({ channel: 'plot', topic: 'quicksilver', content: 'quicksilver' })
  assert.deepEqual(await found(mona, 'quicksilver'), [])
})

test('what was found is marked in the text and in the topic, which is escaped', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  await ann.sends({ channel: 'verona', topic: 'moons & <stars>', content: 'The **moon** is *new*' })
  const [message] = await search(ann, 'moon')
  assert.equal(
    message?.match_content,
    '<p>The <strong><span class="highlight">moon</span></strong> is <em>new</em></p>',
  )
  assert.equal(message?.match_subject, '<span class="highlight">moons</span> &amp; &lt;stars&gt;')
})

test('marks never stand inside a tag or an entity', async () => {
  const { ann, ben } = await newWorld()
  await ann.sends({
    to: [ben],
    content: 'strong amp [moon](https://example.com/moon?strong "moon > strong") & **moon**',
  })
  for (const word of ['strong', 'moon', 'amp', 'href', 'example.com']) {
    const [message] = await search(ben, `${word} moon`)
    if (!message) continue
    const withoutMarks = message.match_content!.replaceAll(/<span class="highlight">(.*?)<\/span>/g, '$1')
    assert.equal(withoutMarks, message.content)
    assert.doesNotMatch(message.match_content!, /<[^>]*<span/)
  }
})

test('messages that were not searched for carry no marks', async () => {
  const { ann, ben } = await newWorld()
  await ann.sends({ to: [ben] })
  const { messages } = await ben.does(api.getMessages, { anchor: 'newest', num_before: 1 })
  assert.ok(!('match_content' in messages[0]!))
})

test('odd things to search for do no harm', async () => {
  const { ann, ben } = await newWorld()
  await ann.sends({ to: [ben], content: "it's & | ! <-> (odd) :* 'quoted' \\ back" })
  for (const text of [
    "'",
    '&',
    "it's",
    '!',
    '(',
    ':*',
    '\\',
    '"\\"',
    '%',
    '"',
    '"" x',
    '<->',
    'a'.repeat(5000),
    '\u{1f680}',
  ])
    await search(ben, text)
})

test('clients are told the words that search leaves out, and only those', async () => {
  const { ann, ctx } = await newWorld()
  const { stop_words } = await ann.does(register, { fetch_event_types: ['stop_words'] })
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${[...stop_words!, 'castle']}::text[]) as w(word)
     where to_tsvector('english', word) <> ''`.execute(ctx.db)
  assert.deepEqual(rows, [{ word: 'castle' }])
  assert.ok(stop_words!.length > 100)
})
