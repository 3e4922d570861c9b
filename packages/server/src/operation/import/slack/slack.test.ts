import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { getMessages } from '@parley/api/conversations/messages'
import { register } from '@parley/api/delivery/queues'
import { getUsers } from '@parley/api/people/users'
import type { Actor } from '../../../testing/actor.ts'
import { type ImportingWorld, importingWorld, type Outcome } from '../../../testing/importing/imported-world.ts'
import { type ZipEntry, zipOf } from '../../../testing/importing/make-zip.ts'

const begin = 1_790_000_000
const at = (second: number, micros = '000100') => `${begin + second}.${micros}`
const user = (id: string, name: string, more: object = {}) => ({
  id,
  name: name.toLowerCase().replaceAll(' ', '.'),
  profile: { real_name: name, email: `${name.toLowerCase().split(' ')[0]}@dock.example` },
  tz: 'Europe/Oslo',
  ...more,
})
const said = (who: string, second: number, text: string, more: object = {}) => ({
  type: 'message',
  user: who,
  ts: at(second),
  text,
  ...more,
})

const month = 40 * 86_400
const general = [
  said('U1', 1, 'Hi <@U2>, see <#C2|cranes> and *bold* <https://x.example|there> &amp; &lt;b&gt;', {
    reactions: [
      { name: '+1::skin-tone-3', users: ['U2'], count: 1 },
      { name: 'parrot', users: ['U2', 'U3'], count: 3 },
    ],
    edited: { user: 'U1', ts: at(9) },
  }),
  said('U2', 2, 'has joined', { subtype: 'channel_join' }),
  said('U2', 3, 'waves', { subtype: 'me_message' }),
  said('U1', 3, 'gone', { subtype: 'tombstone' }),
  said('U9', 4, 'From elsewhere', { user_profile: { real_name: 'Nil Other', team: 'T9' } }),
  {
    type: 'message',
    subtype: 'bot_message',
    username: 'Build',
    bot_id: 'B1',
    ts: at(5),
    text: 'done',
    attachments: [{ title: 'Log', text: 'exit 2' }],
  },
  said('U1', 6, '', {
    blocks: [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'From blocks ', style: { bold: true } },
              { type: 'user', user_id: 'U2' },
            ],
          },
        ],
      },
    ],
  }),
  said('U1', 7, 'Files', {
    files: [
      { id: 'F1', name: 'note.txt', user: 'U1' },
      { id: 'F2', name: 'old.txt', mode: 'tombstone' },
      { id: 'F3', name: 'inside.txt', url_private_download: 'https://127.0.0.1/inside.txt' },
    ],
  }),
  { type: 'message', ts: 'yesterday', user: 'U1', text: 'no time' },
  said('U2', 8, 'a root *of* three', { thread_ts: at(8) }),
]
const later = [8, 9, 10].map((n) => said('U1', month + n, `reply ${n}`, { thread_ts: at(8) }))
const direct = [said('U1', 20, 'only for <@U2>')]

const json = (name: string, content: unknown): ZipEntry => ({ name, content: JSON.stringify(content) })
const entries = [
  json('users.json', [
    user('U1', 'Ada Dock', { is_owner: true }),
    user('U2', 'Bo'),
    user('U3', 'Gus', { is_restricted: true }),
    user('U4', 'Left', { deleted: true }),
    { id: 'B0', name: 'robot', is_bot: true, profile: { real_name: 'Robot', bot_id: 'BX' } },
  ]),
  json('channels.json', [
    {
      id: 'C1',
      name: 'general',
      is_general: true,
      members: ['U1', 'U2', 'U3'],
      purpose: { value: 'For all' },
      topic: { value: 'See <#C2>' },
      pins: [{ id: at(1) }],
    },
    { id: 'C2', name: 'cranes', members: ['U1'], is_archived: true },
  ]),
  json('groups.json', [{ id: 'G1', name: 'board', members: ['U1'] }]),
  json('dms.json', [{ id: 'D1', members: ['U1', 'U2'] }]),
  json('mpims.json', []),
  json('general/2026-09-01.json', general),
  json('general/2026-10-11.json', later),
  json('board/2026-09-01.json', [said('U1', 30, 'private')]),
  json('D1/2026-09-01.json', direct),
  { name: '__uploads/F1/note.txt', content: 'A note' },
]

let into: ImportingWorld
let outcome: Outcome
let [ada, bo]: Actor[] = []

before(async () => {
  into = await importingWorld('slack')
  outcome = await into.run(zipOf(entries))
  assert.equal(outcome.code, 0, outcome.output)
  ada = await into.actor('ada@dock.example')
  bo = await into.actor('bo@dock.example')
})

async function messagesIn(who: Actor, channel: string) {
  const { messages } = await who.does(getMessages, {
    narrow: [{ operator: 'channel', operand: channel }] as never,
    anchor: 'oldest',
    num_before: 0,
    num_after: 100,
    apply_markdown: false,
  })
  return messages
}

test('texts, blocks and attachments are our markup, with silent mentions and links to channels', async () => {
  const texts = (await messagesIn(bo!, 'general')).map(({ content }) => content)
  assert.match(
    texts[0]!,
    new RegExp(`^Hi @_\\*\\*Bo\\|${bo!.id}\\*\\*, see #\\*\\*cranes\\*\\* and \\*\\*bold\\*\\* \\[there\\]`),
  )
  assert.equal(texts[1], '/me waves')
  assert.match(texts[3]!, /done[\s\S]*\*\*Log\*\*\nexit 2/)
  assert.equal(texts[4], `**From blocks** @_**Bo|${bo!.id}**`)
})

test('a thread is in one topic, also over months, and named after its first message', async () => {
  const found = (await messagesIn(bo!, 'general')).filter(({ content }) => /^(a root|reply)/.test(content))
  assert.deepEqual(
    found.map(({ subject }) => subject),
    Array(4).fill('a root of three'),
  )
})

test('roles, guests, people who left, bots and people of other workspaces', async () => {
  const { members } = await ada!.does(getUsers, {})
  const byName = new Map(members.map((one) => [one.full_name, [one.role, one.is_active, one.is_bot]]))
  assert.deepEqual(byName.get('Ada Dock'), [400, true, false])
  assert.deepEqual(byName.get('Gus'), [600, true, false])
  assert.deepEqual(byName.get('Left'), [400, false, false])
  assert.deepEqual(byName.get('Nil Other (T9)'), [400, false, false])
  assert.deepEqual(byName.get('Robot'), [400, true, true])
  assert.deepEqual(byName.get('Build (app)'), [400, true, true])
  assert.equal(members.find(({ user_id }) => user_id === bo!.id)!.timezone, 'Europe/Oslo')
})

test('reactions, edits, times', async () => {
  const [first] = await messagesIn(bo!, 'general')
  assert.deepEqual(first!.reactions.map(({ emoji_name }) => emoji_name).sort(), ['+1', 'parrot', 'parrot'])
  assert.equal(first!.last_edit_timestamp, begin + 9)
  assert.equal(first!.timestamp, begin + 1)
})

test('files of the archive are linked; addresses of other hosts are never fetched', async () => {
  const { content } = (await messagesIn(bo!, 'general')).find((one) => one.content.startsWith('Files'))!
  const [url] = /\/user_uploads\/[^)]+/.exec(content)!
  assert.equal((await into.world.app.inject({ url, headers: bo!.headers })).body, 'A note')
  assert.match(content, /old\.txt: this file was deleted in Slack/)
  assert.match(content, /inside\.txt: this file is not in the archive/)
})

test('private channels and direct messages are read by their members only', async () => {
  assert.deepEqual(
    (await messagesIn(ada!, 'board')).map(({ content }) => content),
    ['private'],
  )
  await bo!.isRefused(getMessages, {
    narrow: [{ operator: 'channel', operand: 'board' }] as never,
    anchor: 'oldest',
    num_before: 0,
    num_after: 9,
  })
  const { messages } = await bo!.does(getMessages, {
    narrow: [{ operator: 'dm', operand: [ada!.id] }] as never,
    anchor: 'oldest',
    num_before: 0,
    num_after: 9,
    apply_markdown: false,
  })
  assert.deepEqual(
    messages.map(({ content }) => content),
    [`only for @_**Bo|${bo!.id}**`],
  )
})

test('channels with descriptions, and the default one', async () => {
  const { subscriptions, realm_default_streams } = await ada!.does(register, {})
  const general = subscriptions!.find(({ name }) => name === 'general')!
  assert.equal(general.description, 'For all | See #**cranes**')
  assert.deepEqual(realm_default_streams, [general.stream_id])
})

test('the report counts everything, and names what was dropped or is missing', () => {
  for (const line of [
    'people: 4',
    'bots: 1',
    'channels: 3',
    'conversations: 1',
    'messages: 15',
    'files: 3',
    'system posts: 1',
    'deleted messages: 1',
    'messages written: 12',
  ])
    assert.ok(outcome.output.includes(`${line}\n`), `"${line}" is missing in:\n${outcome.output}`)
  assert.match(outcome.output, /^dropped: general\/2026-09-01\.json, message 9: the time "yesterday" is no time$/m)
  assert.match(outcome.output, /^missing: general\/2026-09-01\.json, message 1: 1 reactions parrot have no user$/m)
})

test('the same file adds nothing, and a newer one only what is new', async () => {
  assert.match((await into.run(zipOf(entries))).output, /Nothing was added/)
  const newer = zipOf([
    ...entries,
    json('general/2026-10-12.json', [said('U2', month + 99, 'new', { thread_ts: at(8) })]),
  ])
  const { output } = await into.run(newer, '--json')
  assert.equal(JSON.parse(output).counts['messages written'], 1)
  assert.equal((await messagesIn(bo!, 'general')).at(-1)!.subject, 'a root of three')
})
