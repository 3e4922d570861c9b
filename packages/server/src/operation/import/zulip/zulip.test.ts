import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { getMessages } from '@parley/api/conversations/messages'
import { register } from '@parley/api/delivery/queues'
import { pack } from 'tar-stream'
import type { Actor } from '../../../testing/actor.ts'
import { type ImportingWorld, importingWorld, type Outcome } from '../../../testing/importing/imported-world.ts'
import {
  begin,
  channel,
  copy,
  joined,
  message,
  named,
  person,
  subscription,
  zulipExport,
} from '../../../testing/importing/zulip-export.ts'

const [ada, bo, cy, hook] = [1001, 1002, 1003, 1004]
const [shop, vault] = [50, 51]
const pair = 300
const later = Math.floor(Date.now() / 1000) + 1_000_000

const tables = {
  zerver_userprofile: [
    person(ada, 'Ada', { role: 100 }),
    person(bo, 'Bo'),
    person(cy, 'C"y', { role: 600, is_active: false }),
    person(hook, 'Hook', { is_bot: true, bot_type: 2, bot_owner: ada, delivery_email: 'hook-bot@old.example' }),
  ],
  zerver_usergroup: [{ id: 30 }, { id: 31 }, { id: 32 }],
  zerver_namedusergroup: [named(30, 'menders', { creator: ada }), named(31, 'all hands')],
  zerver_usergroupmembership: [
    { user_group: 30, user_profile: ada },
    { user_group: 32, user_profile: bo },
  ],
  zerver_groupgroupmembership: [{ supergroup: 31, subgroup: 30 }],
  zerver_stream: [
    channel(shop, 'shop', { folder: 9, can_send_message_group: 32 }),
    channel(vault, 'vault', { invite_only: true, history_public_to_subscribers: false }),
  ],
  zerver_channelfolder: [{ id: 9, name: 'Floor', description: 'Where it *happens*', order: 1, is_archived: false }],
  zerver_defaultstream: [{ stream: shop }],
  zerver_recipient: [
    { id: shop + 100, type: 2, type_id: shop },
    { id: vault + 100, type: 2, type_id: vault },
    { id: pair, type: 3, type_id: 1 },
    { id: 401, type: 1, type_id: bo },
  ],
  zerver_huddle: [{ id: 1, recipient: pair, group_size: 2 }],
  zerver_subscription: [
    subscription(ada, shop + 100, { pin_to_top: true }),
    subscription(bo, shop + 100),
    subscription(ada, vault + 100),
    subscription(bo, vault + 100),
    subscription(ada, pair),
    subscription(bo, pair),
  ],
  zerver_realmauditlog: [joined(ada, shop, 9), joined(bo, shop, 9), joined(ada, vault, 9), joined(bo, vault, 12)],
  zerver_realmfilter: [{ id: 1, pattern: 'JOB-(?P<id>[0-9]+)', url_template: 'https://jobs.example/{id}', order: 0 }],
  zerver_customprofilefield: [
    { id: 3, name: 'Nickname', hint: '', field_type: 1, field_data: '', order: 1 },
    { id: 4, name: 'Mentor', hint: '', field_type: 6, field_data: '', order: 2 },
  ],
  zerver_customprofilefieldvalue: [
    { user_profile: bo, field: 3, value: '**B**' },
    { user_profile: bo, field: 4, value: `[${ada}]` },
  ],
  zerver_usertopic: [
    { user_profile: bo, stream: shop, topic_name: 'LAMPS', visibility_policy: 3, last_updated: begin },
  ],
  zerver_reaction: [
    { message: 11, user_profile: bo, emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' },
  ],
  zerver_submessage: [
    {
      id: 1,
      message: 16,
      sender: ada,
      msg_type: 'widget',
      content: '{"widget_type": "poll", "extra_data": {"question": "?", "options": []}}',
    },
    { id: 2, message: 16, sender: bo, msg_type: 'widget', content: `{"type": "vote", "key": "${ada},1", "vote": 1}` },
  ],
  zerver_scheduledmessage: [
    {
      id: 1,
      sender: bo,
      recipient: shop + 100,
      subject: 'tea',
      content: 'soon',
      scheduled_timestamp: later,
      delivered: false,
      delivery_type: 1,
    },
    {
      id: 2,
      sender: bo,
      recipient: shop + 100,
      subject: 'tea',
      content: 'missed',
      scheduled_timestamp: begin,
      delivered: false,
      delivery_type: 1,
    },
  ],
}

const upload = '5/ab/aaaaaaaaaaaaaaaaaaaa/notes.txt'
const history = [{ user_id: ada, timestamp: begin + 50, prev_content: 'old', prev_rendered_content: '<p>old</p>' }]
const messages = {
  zerver_message: [
    message(10, ada, shop + 100, 'lamps', `See [notes](/user_uploads/${upload}) @**Bo|${bo}** JOB-7`),
    message(11, bo, shop + 100, 'Lamps', 'new text', { edit_history: JSON.stringify(history) }),
    message(12, ada, vault + 100, 'keys', 'before Bo came'),
    message(
      13,
      ada,
      vault + 100,
      'keys',
      `after: [said](https://old.example/#narrow/channel/${shop}-shop/topic/lamps/near/11)`,
    ),
    message(14, ada, pair, '\u0007', 'hi Bo'),
    message(15, 7, shop + 100, 'lamps', 'Ada has marked this topic as resolved.'),
    message(16, ada, shop + 100, '', '/poll ?'),
    message(17, cy, 401, '\u0007', 'of an older version'),
  ],
  zerver_usermessage: [
    ...[10, 11, 15].flatMap((id) => [copy(ada, id), copy(bo, id, id === 10 ? 1 | 2 | 8 : 1)]),
    copy(ada, 16),
    copy(bo, 16, 0),
    copy(ada, 12),
    copy(ada, 13),
    copy(bo, 13, 0),
    copy(ada, 14),
    copy(bo, 14, 0),
    copy(cy, 17),
    copy(bo, 17),
  ],
}
const attachments = {
  zerver_attachment: [
    { id: 1, owner: ada, file_name: 'notes.txt', path_id: upload, size: 5, content_type: 'text/plain', messages: [10] },
  ],
}

let into: ImportingWorld
let outcome: Outcome
let archive: Buffer
let [reader, owner]: Actor[] = []

before(async () => {
  into = await importingWorld('zulip')
  archive = await zulipExport(tables, messages, {
    'attachment.json': Buffer.from(JSON.stringify(attachments)),
    [`uploads/${upload}`]: Buffer.from('notes'),
  })
  outcome = await into.run(archive)
  assert.equal(outcome.code, 0, outcome.output)
  reader = await into.actor('bo@lane.example')
  owner = await into.actor('ada@lane.example')
})

async function messagesOf(who: Actor, narrow: object[] = []) {
  const { messages: found } = await who.does(getMessages, {
    narrow: narrow as never,
    anchor: 'oldest',
    num_before: 0,
    num_after: 100,
    apply_markdown: false,
    allow_empty_topic_name: true,
  })
  return found
}

const inChannel = (name: string) => [{ operator: 'channel', operand: name }]

test('texts are unchanged but for ids and paths of uploads, and rendered here', async () => {
  const [first] = await messagesOf(reader!, inChannel('shop'))
  const path = /\/user_uploads\/(\d+)\/ab\/aaaaaaaaaaaaaaaaaaaa\/notes\.txt/.exec(first!.content)!
  assert.equal(first!.content, `See [notes](${path[0]}) @**Bo|${reader!.id}** JOB-7`)
  assert.notEqual(path[1], '5')
  const { rawPayload } = await into.world.app.inject({ url: path[0], headers: reader!.headers })
  assert.equal(String(rawPayload), 'notes')
  const { messages: rendered } = await reader!.does(getMessages, {
    narrow: inChannel('shop') as never,
    anchor: 'oldest',
    num_before: 0,
    num_after: 1,
  })
  assert.match(rendered[0]!.content, /jobs\.example\/7/)
  assert.doesNotMatch(rendered[0]!.content, /script/)
})

test('topics, edits, reactions, votes and flags come along', async () => {
  const found = await messagesOf(reader!, inChannel('shop'))
  assert.deepEqual(
    found.map(({ subject }) => subject),
    ['lamps', 'Lamps', 'lamps', ''],
  )
  assert.equal(found[1]!.edit_history![0]!.prev_content, 'old')
  assert.equal(found[1]!.edit_history![0]!.prev_rendered_content, '<p>old</p>')
  assert.deepEqual(
    found[1]!.reactions.map(({ emoji_name, user_id }) => [emoji_name, user_id]),
    [['tada', reader!.id]],
  )
  assert.match(found[3]!.submessages[1]!.content, new RegExp(`"${owner!.id},1"`))
  assert.deepEqual(
    found.map(({ flags }) => [...flags].sort()),
    [['mentioned', 'read', 'starred'], ['read'], ['read'], []],
  )
})

test('who joined a channel with protected history late sees what they saw there', async () => {
  assert.deepEqual(
    (await messagesOf(reader!, inChannel('vault'))).map(({ content }) => content.slice(0, 6)),
    ['after:'],
  )
  assert.equal((await messagesOf(owner!, inChannel('vault'))).length, 2)
})

test('links to messages name them here', async () => {
  const [, linking] = await messagesOf(owner!, inChannel('vault'))
  const target = (await messagesOf(owner!, inChannel('shop')))[1]!
  const { subscriptions } = await owner!.does(register, {})
  const { stream_id } = subscriptions!.find(({ name }) => name === 'shop')!
  assert.equal(
    linking!.content,
    `after: [said](https://old.example/#narrow/channel/${stream_id}-shop/topic/lamps/near/${target.id})`,
  )
})

test('direct messages, also of older versions, and notices by our own bot', async () => {
  const direct = await messagesOf(reader!, [{ operator: 'is', operand: 'dm' }])
  assert.deepEqual(
    direct.map(({ content }) => content),
    ['hi Bo', 'of an older version'],
  )
  const notice = (await messagesOf(reader!, inChannel('shop')))[2]!
  assert.equal(notice.sender_full_name, 'Notification Bot')
})

test('groups, permissions, folders, profile fields, topics and settings come along', async () => {
  const state = await reader!.does(register, {})
  const [menders, hands] = ['menders', 'all hands'].map(
    (name) => state.realm_user_groups!.find((one) => one.name === name)!,
  )
  assert.deepEqual([menders!.members, hands!.direct_subgroup_ids], [[owner!.id], [menders!.id]])
  const shopHere = state.subscriptions!.find(({ name }) => name === 'shop')!
  assert.deepEqual(shopHere.can_send_message_group, { direct_members: [reader!.id], direct_subgroups: [] })
  assert.deepEqual(
    state.channel_folders!.map(({ id, name }) => [id, name]),
    [[shopHere.folder_id, 'Floor']],
  )
  assert.deepEqual(
    state.user_topics!.map(({ topic_name, visibility_policy }) => [topic_name, visibility_policy]),
    [['lamps', 3]],
  )
  const { profile_data, timezone } = state.realm_users!.find(({ user_id }) => user_id === reader!.id)!
  assert.equal(timezone, 'Europe/Oslo')
  assert.deepEqual(
    Object.values(profile_data!).map(({ value }) => value),
    ['**B**', `[${owner!.id}]`],
  )
  assert.equal(state.user_settings!.twenty_four_hour_time, true)
  assert.equal(state.realm_description, 'We *mend*.')
})

test('roles above member and unusable names are changed, and what is over is listed', () => {
  assert.match(outcome.output, /^changed: user 1003: the name "C"y" became "Cy"$/m)
  assert.match(outcome.output, /^dropped: scheduled_messages 2: its time is over/m)
  assert.equal(owner!.name, 'Ada')
})

test('the same file adds nothing, and a newer one only what is new', async () => {
  assert.match((await into.run(archive)).output, /Nothing was added/)
  const newer = await zulipExport(tables, {
    zerver_message: [...messages.zerver_message, message(18, bo, shop + 100, 'lamps', 'on Sunday')],
    zerver_usermessage: [...messages.zerver_usermessage, copy(bo, 18), copy(ada, 18, 0)],
  })
  const { code, output } = await into.run(newer, '--json')
  assert.equal(code, 0, output)
  assert.equal(JSON.parse(output).counts['messages written'], 1)
  const found = await messagesOf(owner!, inChannel('shop'))
  assert.deepEqual(found.map(({ content }) => content.slice(0, 9)).slice(-2), ['/poll ?', 'on Sunday'])
  assert.equal(found.at(-1)!.subject, 'lamps')
})

test('broken rows are listed, and the others come along', async () => {
  const other = await importingWorld('zulip')
  const broken = {
    zerver_message: [
      ...messages.zerver_message,
      message(20, 9999, shop + 100, 'lamps', 'of nobody'),
      message(21, ada, 9999, 'lamps', 'to nowhere'),
      message(22, ada, shop + 100, 'lamps', 'NUL \0 and half \ud800', { date_sent: null }),
      message(23, ada, shop + 100, 'a\0b', 'NUL \0 and half \ud800'),
    ],
    zerver_usermessage: [...messages.zerver_usermessage, { user_profile: 'x' }, copy(9999, 23)],
  }
  const strange = {
    ...tables,
    zerver_alertword: [
      { user_profile: 9999, word: 'x' },
      { user_profile: ada, word: 7 },
    ],
  }
  const { code, output } = await other.run(await zulipExport(strange, broken))
  assert.equal(code, 0, output)
  for (const line of [
    'dropped: message 20: its user 9999 is not in the file',
    'dropped: message 21: it has neither channel nor recipients',
    'dropped: message 22: its time is missing',
    'dropped: alert_words user_id 9999: its user 9999 is not in the file',
  ])
    assert.ok(output.includes(line), `"${line}" is missing in:\n${output}`)
  assert.match(output, /^messages written: 9$/m)
})

test('a file that is no export is refused before anything is created', async () => {
  const other = await importingWorld('zulip')
  for (const content of ['{"zerver_realm": [{"id"', '{"other": []}', `${'['.repeat(200)}`]) {
    const { code, output } = await other.run(await wrapped(content))
    assert.notEqual(code, 0, content)
    assert.match(output, /Nothing was imported/)
  }
  assert.equal(await other.exists(), false)
})

async function wrapped(realm: string): Promise<Buffer> {
  const archived = pack()
  archived.entry({ name: 'realm.json' }, realm)
  archived.finalize()
  return gzipSync(await buffer(archived))
}
