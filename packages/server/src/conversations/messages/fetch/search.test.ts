import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/messages'
import { register } from '@parley/api/delivery/queues'
import { sql } from 'kysely'
import { many, one } from '../../../platform/db/query.ts'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { edits } from '../../../testing/editing.ts'
import { newWorld } from '../../../testing/world.ts'

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

test('all words of all search terms must occur in the content or the topic', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona', topic: 'Balcony scene', content: 'what light' })
  await ann.sends({ channel: 'verona', topic: 'feud', content: 'what light' })
  assert.deepEqual(await found(ann, 'balcony light'), [id])
  assert.deepEqual(await found(ann, 'balcony', ['search', 'light']), [id])
  assert.deepEqual(await found(ann, 'balcony darkness'), [])
})

test('stop words are ignored', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'the moon' })
  assert.deepEqual(await found(ben, 'of the moon'), [id])
  assert.deepEqual(await found(ben, 'the'), [])
})

test('quoted words must occur literally', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'a 100% Full Moon, says one_two' })
  await ann.sends({ to: [ben], content: 'the moon was full' })
  assert.deepEqual(await found(ben, '"full moon"'), [id])
  assert.deepEqual(await found(ben, '"100% full"'), [id])
  assert.deepEqual(await found(ben, '"oneXtwo"'), [])
  assert.equal((await found(ben, 'full moon')).length, 2)
})

test('search finds no messages that the caller may not read', async () => {
  const { ann, ben, mona } = await newWorld()
  await ann.sends({ to: [ben], content: 'quicksilver' })
  await inChannel('plot', [ann], { invite_only: true })
  await ann.sends({ channel: 'plot', topic: 'quicksilver', content: 'quicksilver' })
  assert.deepEqual(await found(mona, 'quicksilver'), [])
})

test('matches are highlighted in the content and in the topic, which is escaped', async () => {
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

test('parts of words are found, at the start and inside', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'my Keyboards are hungry' })
  for (const text of ['keyb', 'KEYB*', 'board', 'ungr', '"eyboa"', 'ke', 'hu my'])
    assert.deepEqual(await found(ben, text), [id])
  for (const text of ['keybord', 'rd', '"y Keyb x"']) assert.deepEqual(await found(ben, text), [])
})

test('a part of a topic is found, in every script', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona', topic: 'Preparing 会议室', content: 'what light' })
  for (const text of ['epari', 'prepared', '议', '会议', 'light 议室', '"ing 会"'])
    assert.deepEqual(await found(ann, text), [id])
  assert.match((await search(ann, '会议'))[0]!.match_subject!, /Preparing <span class="highlight">会议<\/span>室/)
})

test('Chinese, Japanese, Korean, Thai and symbols are found from one character on', async () => {
  const { ann, ben } = await newWorld()
  const content = '明天的会议改到下午。資料を確認してください。내일 회의가 있습니다 การประชุม 🚀 → ＡＢ'
  const id = await ann.sends({ to: [ben], content })
  await ann.sends({ to: [ben], content: '今日は休み' })
  for (const text of [
    '会',
    '会议',
    '的会议改',
    '確認して',
    '料',
    '회의',
    '의',
    'ประชุม',
    'ป',
    '🚀',
    '→',
    'ａｂ',
    '会议 資料',
  ])
    assert.deepEqual(await found(ben, text), [id], text)
  for (const text of ['议会', '會', '会议 休み', '"议改到X"']) assert.deepEqual(await found(ben, text), [], text)
  assert.match((await search(ben, '会议'))[0]!.match_content!, /明天的<span class="highlight">会议<\/span>改到/)
})

test('a message of maximum length without spaces is stored and found quickly', async () => {
  const { ann, ben, ctx } = await newWorld()
  const id = await ann.sends({ to: [ben], content: `${'明天的会议改到下午。'.repeat(999)}資料を確認し🚀` })
  assert.deepEqual(await found(ben, '資料'), [id])
  const { grams } = await one<{ grams: string[] }>(ctx.db)`
    select search_grams('の会议 no ไป 议🚀') as grams`
  assert.deepEqual(new Set(grams), new Set(['の', 'の会', '会', '会议', '议', 'ไ', 'ไป', 'ป', '议🚀', '🚀']))
})

test('URLs, IP addresses, file names and numbers are found whole and in parts', async () => {
  const { ann, ben } = await newWorld()
  const content = 'see https://files.example.com/plans/budget_2031-v2.xlsx, ticket PAR-1234, 10.0.0.17 and foo.bar(baz)'
  const id = await ann.sends({ to: [ben], content })
  for (const text of [
    'https://files.example.com/plans/budget_2031-v2.xlsx',
    'files.example.com',
    'example.com/plans',
    'budget_2031',
    'v2.xlsx',
    '.xlsx',
    'par-1234',
    'PAR-12',
    '0.0.17',
    'foo.bar',
    '"foo.bar(baz)"',
  ])
    assert.deepEqual(await found(ben, text), [id], text)
  for (const text of ['budgetX2031', 'v3.xlsx', 'foo.baz']) assert.deepEqual(await found(ben, text), [], text)
})

test('exactly the matching part of a word is highlighted', async () => {
  const { ann, ben } = await newWorld()
  await ann.sends({ to: [ben], content: 'The **Keyboard** of https://example.com/board?a=1&b=2' })
  const marked = (text: string) => `<span class="highlight">${text}</span>`
  const [message] = await search(ben, 'board')
  assert.equal(
    message?.match_content,
    `<p>The <strong>Key${marked('board')}</strong> of <a href="https://example.com/board?a=1&amp;b=2">https://example.com/${marked('board')}?a=1&amp;b=2</a></p>`,
  )
  const [other] = await search(ben, '"a=1&b"')
  assert.match(other!.match_content!, /\?<span class="highlight">a=1&amp;b<\/span>=2<\/a>/)
})

test('search pages continue where the last one ended, however rare the matches are', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  const first = await ann.sends({ to: [ben], content: 'the first zephyr' })
  await sql`
    insert into messages (realm_id, id, recipient_id, sender_id, date_sent, client, content, rendered_content)
    select realm_id, id + n, recipient_id, sender_id, date_sent, client, case when n % 1000 = 0 then 'a zephyr' when n % 10 = 0 then 'breeze'
             when n % 25 = 1 and n not between 1000 and 4600 then 'gust' else 'calm' end, ''
      from messages, generate_series(1, 5000) n where realm_id = ${realmId} and id = ${first}`.execute(ctx.db)
  await sql`update realm_counters set last_message = last_message + 5000 where realm_id = ${realmId}`.execute(ctx.db)
  const page = async (text: string, anchor: number, num_before: number, num_after = 0) => {
    const narrow: api.NarrowTerm[] = [['search', text]]
    const found = await ben.does(api.getMessages, { anchor, num_before, num_after, include_anchor: false, narrow })
    return found.messages.map(({ id }) => id - first)
  }
  assert.deepEqual(await page('zephyr', first + 4500, 3), [2000, 3000, 4000])
  assert.deepEqual(await page('ephyr', first + 2000, 5), [0, 1000])
  assert.deepEqual(await page('zephyrs', first, 0, 2), [1000, 2000])
  const breezes = await page('breeze', first + 5001, 300)
  assert.deepEqual([breezes.length, breezes[0], breezes.at(-1)], [300, 1970, 4990])
  // Frequent at both ends: the matches near the anchor let expect more of them near by than there are.
  const gusts = Array.from({ length: 200 }, (_, n) => 25 * n + 1).filter((n) => n < 1000 || n > 4600)
  assert.deepEqual(await page('gust', first + 5001, 30), gusts.slice(-30))
  assert.deepEqual(await page('gusts', first, 0, 45), gusts.slice(0, 45))
})

test('a search for symbols only needs at least three in a row', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'C# |>> next, ok?' })
  assert.deepEqual(await found(ben, '|>>'), [id])
  assert.deepEqual(await found(ben, '"C#"'), [id])
  assert.deepEqual(await found(ben, '"C+"'), [])
  assert.deepEqual(await found(ben, '">>"'), [])
})

test('an edited message is found by its new content only', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'quicksilver 会议' })
  await edits(ann, id, { content: 'mercury 資料' })
  for (const text of ['cksilv', '议']) assert.deepEqual(await found(ben, text), [])
  for (const text of ['ercur', '料']) assert.deepEqual(await found(ben, text), [id])
})

test('highlights are never inside a tag or an entity', async () => {
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

test('messages fetched without a search have no highlights', async () => {
  const { ann, ben } = await newWorld()
  await ann.sends({ to: [ben] })
  const { messages } = await ben.does(api.getMessages, { anchor: 'newest', num_before: 1 })
  assert.ok(!('match_content' in messages[0]!))
})

test('unusual search texts cause no errors', async () => {
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

test('clients receive exactly the stop words that search ignores', async () => {
  const { ann, ctx } = await newWorld()
  const { stop_words } = await ann.does(register, { fetch_event_types: ['stop_words'] })
  const rows = await many<{ word: string }>(ctx.db)`
    select word from unnest(${[...stop_words!, 'castle']}::text[]) as w(word)
     where to_tsvector('english', word) <> ''`
  assert.deepEqual(rows, [{ word: 'castle' }])
  assert.ok(stop_words!.length > 100)
})
