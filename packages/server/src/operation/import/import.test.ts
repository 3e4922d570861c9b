import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { getChannelPins } from '@parley/api/conversations/channel-pins'
import { getChannelId } from '@parley/api/conversations/channels'
import { getMessages } from '@parley/api/conversations/messages'
import { register } from '@parley/api/delivery/queues'
import { getUsers } from '@parley/api/people/users'
import type { Actor } from '../../testing/actor.ts'
import { type ImportingWorld, importingWorld, type Outcome } from '../../testing/importing/imported-world.ts'
import {
  bot,
  channel,
  day,
  directChannel,
  directPost,
  exportOf,
  post,
  reply,
  start,
  team,
  user,
} from '../../testing/importing/mattermost-export.ts'

const month = (30 * day) / 60_000
const thread = [
  reply('ivan', 'Me, at ten', 3),
  reply('zoe', 'Older than its root', 1),
  reply('ivan', 'Done, a month later', 2 * month),
]
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
)
const path = '20261001/teams/noteam/channels/c1/users/u1/f1'

const lines = [
  team('dock', 'Dock Works'),
  channel('town-square', 'Town Square', { purpose: 'For all', header: 'See ~cranes\nand more' }),
  channel('cranes', 'Cranes'),
  channel('board', 'Board', { type: 'P' }),
  channel('plans', 'Plans', { delete_at: 0, deleted_at: 5 }),
  user(
    'zoe',
    { 'town-square': { last_viewed_at: start + 60_000 }, cranes: { favorite: true, last_viewed_at: 0 } },
    { profile_image: 'users/u1/profile.png', roles: 'system_user system_admin' },
  ),
  user('ivan', {
    'town-square': {},
    cranes: { notify_props: { mark_unread: 'mention' } },
    board: {},
  }),
  user('gus', { 'town-square': {} }, { roles: 'system_guest', first_name: 'G"us', last_name: '' }),
  user('larry', {}, { delete_at: 7 }),
  bot('dockbot', 'zoe'),
  post('town-square', 'zoe', 'hi @Ivan. See ~cranes and ~board, @nobody', 0, {
    reactions: [
      { user: 'ivan', emoji_name: 'thumbsup', create_at: start },
      { user: 'ivan', emoji_name: 'wave_dark_skin_tone', create_at: start },
      { user: 'gus', emoji_name: 'anchor_red', create_at: start },
    ],
    flagged_by: ['ivan'],
    is_pinned: true,
    edit_at: start + 5000,
  }),
  post('town-square', 'ivan', '', 1, { type: 'system_join_channel' }),
  post('town-square', 'ivan', ' ', 1),
  post('town-square', 'zoe', 'U+0085 is no\u0085line end', 2, {
    attachments: [{ path: `${path}/crane.png` }, { path: `${path}/lost.txt` }],
  }),
  post('cranes', 'zoe', 'Crane **3** squeaks', 2, {
    replies: thread,
    thread_followers: [{ user: 'ivan', last_viewed: 0 }],
  }),
  post('cranes', 'ivan', 'Two replies', 4, {
    replies: [reply('zoe', 'one', 5), reply('zoe', 'two', 2 * month)],
    thread_followers: [{ user: 'zoe', last_viewed: 0 }],
  }),
  post('cranes', 'zoe', 'Build failed', 6, {
    type: 'slack_attachment',
    props: {
      from_webhook: 'true',
      override_username: 'Ivan Dock',
      attachments: [
        {
          title: 'Log',
          text: 'exit 2',
          fields: [{ title: 'Try', value: 3 }],
          actions: [{ integration: { url: 'http://secret.example' } }],
        },
      ],
    },
  }),
  post('cranes', 'gone', 'I am in no other line', 7),
  post('plans', 'larry', 'Old plan', 8),
  post('board', 'ivan', 'Private: @zoe', 9),
  '{"type":"post","post":{"team":"dock"',
  post('nowhere', 'zoe', 'In a channel that is not there', 10),
  directChannel({ zoe: { last_viewed_at: start + 20 * 60_000 }, ivan: {} }),
  directPost(['ivan', 'zoe'], 'zoe', '*waves*', 20, { type: 'me' }),
  directPost(['zoe', 'zoe'], 'zoe', 'to myself', 21),
  directPost(['ivan', 'zoe'], 'ivan', 'unread', 22),
]
const files = [
  { name: `data/${path}/crane.png`, content: picture },
  { name: 'data/users/u1/profile.png', content: picture },
]
const archive = exportOf(lines, files)

let into: ImportingWorld
let outcome: Outcome
let [zoe, ivan, gus]: Actor[] = []

before(async () => {
  into = await importingWorld()
  outcome = await into.run(archive)
  assert.equal(outcome.code, 0, outcome.output)
  ;[zoe, ivan, gus] = await Promise.all(['zoe', 'ivan', 'gus'].map((name) => into.actor(`${name}@dock.example`)))
})

async function messagesOf(reader: Actor | undefined, narrow: object[]) {
  const { messages } = await reader!.does(getMessages, {
    narrow: narrow as never,
    anchor: 'oldest',
    num_before: 0,
    num_after: 100,
    apply_markdown: false,
    allow_empty_topic_name: true,
  })
  return messages
}

const inChannel = (name: string) => [{ operator: 'channel', operand: name }]
const withPerson = ({ id }: Actor) => [{ operator: 'dm', operand: [id] }]

async function channelsOf(reader: Actor | undefined) {
  const { subscriptions } = await reader!.does(register, { include_subscribers: true })
  return Object.fromEntries(subscriptions!.map((one) => [one.name, one]))
}

test('members read the messages of their channels, in order of time', async () => {
  const messages = await messagesOf(ivan, inChannel('Cranes'))
  assert.deepEqual(
    messages.map(({ content }) => content.split('\n')[0]),
    [
      'Older than its root',
      'Crane **3** squeaks',
      'Me, at ten',
      'Two replies',
      'one',
      'Build failed',
      'I am in no other line',
      'Done, a month later',
      'two',
    ],
  )
  assert.equal(messages[1]!.timestamp, (start + 2 * 60_000) / 1000)
})

test('a private channel is read by its members only', async () => {
  assert.equal((await messagesOf(ivan, inChannel('Board'))).length, 1)
  await zoe!.isRefused(getMessages, { narrow: inChannel('Board'), anchor: 'oldest', num_before: 0, num_after: 9 })
})

test('a thread with three replies has a topic of its own; a smaller one stays together in the month of its root', async () => {
  const topics = (await messagesOf(ivan, inChannel('Cranes'))).map(({ content, subject }) => [
    content.slice(0, 5),
    subject,
  ])
  const own = 'Crane 3 squeaks'
  assert.deepEqual(Object.fromEntries(topics), {
    Older: own,
    Crane: own,
    'Me, a': own,
    'Done,': own,
    'Two r': '2026-10',
    one: '2026-10',
    two: '2026-10',
    Build: '2026-10',
    'I am ': '2026-10',
  })
})

test('followers of a thread follow its topic, if it has one', async () => {
  const policies = async (who: Actor) =>
    (await who.does(register, {})).user_topics!.map((one) => [one.topic_name, one.visibility_policy])
  assert.deepEqual(await policies(ivan!), [['Crane 3 squeaks', 3]])
  assert.deepEqual(await policies(zoe!), [])
})

test('mentions are silent, and link to channels that their author may see', async () => {
  const [first] = await messagesOf(zoe, inChannel('Town Square'))
  assert.equal(first!.content, `hi @_**Ivan Dock|${ivan!.id}**. See #**Cranes** and ~board, @nobody`)
  const [own] = await messagesOf(ivan, inChannel('Town Square'))
  assert.ok(!own!.flags.includes('mentioned'))
})

test('reactions come along, without skin tones, and those with lost emoji have a stand-in', async () => {
  const [{ reactions } = { reactions: [] }] = await messagesOf(zoe, inChannel('Town Square'))
  assert.deepEqual(
    reactions.map(({ emoji_name, reaction_type, user_id }) => [emoji_name, reaction_type, user_id]).sort(),
    [
      ['+1', 'unicode_emoji', ivan!.id],
      ['anchor_red', 'realm_emoji', gus!.id],
      ['wave', 'unicode_emoji', ivan!.id],
    ],
  )
  const { realm_emoji } = await zoe!.does(register, {})
  assert.ok(Object.values(realm_emoji!).every(({ deactivated }) => deactivated))
})

test('pinned posts are at the top of their channel', async () => {
  const { stream_id } = await ivan!.does(getChannelId, { stream: 'Town Square' })
  const { pins } = await ivan!.does(getChannelPins, { path: { stream_id } })
  const [first] = await messagesOf(ivan, inChannel('Town Square'))
  assert.deepEqual(
    pins.map(({ message_id, title }) => [message_id, title.startsWith('hi @')]),
    [[first!.id, true]],
  )
})

test('saved posts are starred, and edited ones have the time of the edit', async () => {
  const [first] = await messagesOf(ivan, inChannel('Town Square'))
  assert.ok(first!.flags.includes('starred'))
  assert.equal(first!.last_edit_timestamp, (start + 5000) / 1000)
})

test('what was read is read, and the rest is unread', async () => {
  const unread = async (who: Actor, narrow: object[]) =>
    (await messagesOf(who, narrow)).filter(({ flags }) => !flags.includes('read')).map(({ content }) => content)
  assert.deepEqual(await unread(zoe!, inChannel('Town Square')), [])
  assert.deepEqual(await unread(zoe!, inChannel('Cranes')).then((list) => list.length), 5)
  assert.deepEqual(await unread(zoe!, withPerson(ivan!)), ['unread'])
})

test('muted and favourite channels, descriptions, folders and archived channels', async () => {
  assert.equal((await channelsOf(zoe)).Cranes!.pin_to_top, true)
  assert.equal((await channelsOf(ivan)).Cranes!.is_muted, true)
  const { 'Town Square': square } = await channelsOf(ivan)
  assert.equal(square!.description, 'For all | See #**Cranes** and more')
  const { channel_folders } = await ivan!.does(register, {})
  assert.deepEqual(
    channel_folders!.map(({ id, name }) => [id, name]),
    [[square!.folder_id, 'Dock Works']],
  )
})

test('nobody is more than member, guests stay guests, and deactivated people stay deactivated', async () => {
  const { members } = await zoe!.does(getUsers, {})
  const roles = Object.fromEntries(members.map(({ full_name, role, is_active }) => [full_name, [role, is_active]]))
  const { 'Zoe Dock': owner, Gus: guest, 'Larry Dock': left, gone } = roles
  assert.deepEqual(
    [owner, guest, left, gone],
    [
      [400, true],
      [600, true],
      [400, false],
      [400, false],
    ],
  )
})

test('a post of a webhook belongs to a bot, not to the person whose name it shows; URLs of its buttons do not come along', async () => {
  const failed = (await messagesOf(ivan, inChannel('Cranes'))).find(({ content }) => content.startsWith('Build'))!
  assert.equal(failed.sender_full_name, 'Ivan Dock (webhook)')
  assert.equal(failed.content, 'Build failed\n\n**Log**\nexit 2\n**Try:** 3')
})

test('files are linked, and missing ones are named', async () => {
  const second = (await messagesOf(ivan, inChannel('Town Square')))[1]!
  const [, url] = /\[crane\.png\]\((\S+)\)\n\(lost\.txt: this file is not in the archive\)$/.exec(second.content)!
  const response = await into.world.app.inject({ url: url!, headers: ivan!.headers })
  assert.deepEqual(response.rawPayload, picture)
})

test('direct messages, "/me" and notes to oneself', async () => {
  const shown = async (narrow: object[]) => (await messagesOf(zoe, narrow)).map(({ content }) => content)
  assert.deepEqual(await shown(withPerson(ivan!)), ['/me waves', 'unread'])
  assert.deepEqual(await shown(withPerson(zoe!)), ['to myself'])
})

test('the report counts everything, and names what was dropped, missing or changed', () => {
  for (const line of [
    'people: 4',
    'bots: 1',
    'channels: 4',
    'conversations: 2',
    'messages: 19',
    'files: 2',
    'system posts: 1',
    'empty posts: 1',
    'messages written: 16',
    'followers of threads without a topic: 1',
    'stand-ins for unknown people: 1',
    'pins: 1',
    `missing: line 15: no file ${path}/lost.txt`,
    'changed: user gus: the name "G"us" became "Gus"',
  ])
    assert.ok(outcome.output.includes(`${line}\n`), `"${line}" is missing in:\n${outcome.output}`)
  assert.match(outcome.output, /^dropped: line 22: .*JSON/m)
  assert.match(outcome.output, /^dropped: line 23, zoe \d+: its channel dock\/nowhere is not in the file$/m)
  assert.match(outcome.output, /custom emoji out of archives made with "mmctl/)
})

test('the same file again adds nothing; a newer one adds only what is new, also after an edit', async () => {
  const again = await into.run(archive)
  assert.deepEqual(again, { code: 0, output: `This file was imported into ${into.id} before. Nothing was added.\n` })
  const edited = lines.map((line) =>
    typeof line === 'object' && 'post' in line && line.post.message === 'Old plan'
      ? { type: 'post', post: { ...line.post, message: 'Newer plan', edit_at: start } }
      : line,
  )
  const before = (await messagesOf(ivan, inChannel('Cranes'))).length
  const newer = exportOf(
    [...edited, user('nora', { cranes: {} }), post('cranes', 'nora', 'I am new', 3 * month)],
    files,
  )

  const { code, output } = await into.run(newer, '--json')

  assert.equal(code, 0, output)
  assert.equal(JSON.parse(output).counts['messages written'], 1)
  const nora = await into.actor('nora@dock.example')
  assert.deepEqual((await messagesOf(nora, inChannel('Cranes'))).length, before + 1)
})
