import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as flags from '@parley/api/conversations/flags'
import * as api from '@parley/api/conversations/messages'
import { addAlertWords } from '@parley/api/people/alert-words'
import { sql } from 'kysely'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel, joins, leaves } from '../../../testing/channels.ts'
import { newWorld, type World } from '../../../testing/world.ts'

type Narrow = api.NarrowTerm[]

/** The names of the messages in `named` that a narrow finds. */
async function finds(actor: Actor, narrow: Narrow, named: Record<string, number>): Promise<string> {
  const { messages } = await actor.does(api.getMessages, { anchor: 'newest', num_before: 500, narrow })
  const ids = new Set(messages.map(({ id }) => id))
  return Object.keys(named)
    .filter((name) => ids.has(named[name]!))
    .join(' ')
}

function is(operand: string, negated = false) {
  return { operator: 'is', operand, negated }
}

/** Verona is public, plot is private. Ben is subscribed to both and has direct conversations with Ann and Mona. */
async function conversations() {
  const world = await newWorld()
  const { ann, ben, mona } = world
  const verona = await inChannel('Verona', [ann, ben])
  const plot = await inChannel('plot', [ann, ben], { invite_only: true, history_public_to_subscribers: true })
  const named = {
    verona: await ann.sends({ channel: 'Verona', topic: 'Balcony', content: 'see https://example.com' }),
    reply: await ben.sends({ channel: 'Verona', topic: 'balcony' }),
    feud: await ben.sends({ channel: 'Verona', topic: 'feud' }),
    plot: await ann.sends({ channel: 'plot', topic: 'Balcony' }),
    dm: await ann.sends({ to: [ben] }),
    group: await mona.sends({ to: [ben, ann] }),
    self: await ben.sends({ to: [ben] }),
  }
  return { ...world, channels: { verona, plot }, named }
}

async function setPolicy({ ctx, realmId }: World, actor: Actor, topic: string, policy: number): Promise<void> {
  await sql`insert into user_topics (realm_id, user_id, topic_id, visibility_policy)
            select realm_id, ${actor.id}, id, ${policy} from topics where realm_id = ${realmId} and name = ${topic}
            on conflict (realm_id, user_id, topic_id) do update set visibility_policy = excluded.visibility_policy`.execute(
    ctx.db,
  )
}

test('without a narrow, users find all messages they received', async () => {
  const { ben, mona, named } = await conversations()
  assert.equal(await finds(ben, [], named), 'verona reply feud plot dm group self')
  assert.equal(await finds(mona, [], named), 'group')
})

test('channel narrows by name in any case and by id, also under its legacy name', async () => {
  const { ben, channels, named } = await conversations()
  for (const operator of ['channel', 'stream', 'CHANNEL'])
    for (const operand of ['VERONA', 'Verona', channels.verona, String(channels.verona)])
      assert.equal(await finds(ben, [{ operator, operand }], named), 'verona reply feud')
  assert.equal(await finds(ben, [['stream', 'verona']], named), 'verona reply feud')
})

test('a negated channel matches everything else, including direct messages', async () => {
  const { ben, named } = await conversations()
  const narrow = [{ operator: 'channel', operand: 'verona', negated: true }]
  assert.equal(await finds(ben, narrow, named), 'plot dm group self')
})

test('an unknown channel fails with BAD_NARROW and the reason', async () => {
  const { ben } = await newWorld()
  for (const operand of ['atlantis', 987_654]) {
    const refusal = await ben.isRefused(api.getMessages, { anchor: 0, narrow: [{ operator: 'channel', operand }] })
    assert.equal(refusal.code, 'BAD_NARROW')
    assert.ok(refusal.desc)
  }
})

test('a visible channel that the caller cannot read is empty, not an error', async () => {
  const { ann, olga } = await newWorld()
  await inChannel('plot', [ann], { invite_only: true })
  const page = await olga.does(api.getMessages, { anchor: 5, num_before: 0, narrow: [['channel', 'plot']] })
  assert.deepEqual([page.messages, page.found_oldest, page.found_newest], [[], true, true])
})

test('a hidden channel fails exactly like one that does not exist', async () => {
  const { ann, ben, gus } = await newWorld()
  await inChannel('plot', [ann], { invite_only: true })
  await inChannel('verona', [ann])
  for (const [actor, channel] of [
    [ben, 'plot'],
    [gus, 'verona'],
    [ben, 'nowhere'],
  ] as const) {
    const refusal = await actor.isRefused(api.getMessages, { anchor: 5, narrow: [['channel', channel]] })
    assert.deepEqual([refusal.code, refusal.desc], ['BAD_NARROW', `unknown channel "${channel}"`])
  }
})

test('no message is in two channels', async () => {
  const { ben, named } = await conversations()
  const narrow: Narrow = [
    ['channel', 'verona'],
    ['channel', 'plot'],
  ]
  assert.equal(await finds(ben, narrow, named), '')
})

test('a channel term includes shared history from before the caller subscribed', async () => {
  const { mona, named } = await conversations()
  assert.equal(await finds(mona, [['channel', 'verona']], named), 'verona reply feud')
  assert.equal(await finds(mona, [['channel', 'verona'], is('resolved', true)], named), 'verona reply feud')
  assert.equal(await finds(mona, [['channel', 'verona'], is('starred', true)], named), '')
})

test('a channel term does not include protected history', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('plot', [ann], { invite_only: true, history_public_to_subscribers: false })
  const before = await ann.sends({ channel: 'plot' })
  await inChannel('plot', [ann, ben])
  const after = await ann.sends({ channel: 'plot' })
  assert.equal(await finds(ben, [['channel', 'plot']], { before, after }), 'after')
})

test('former subscribers of a private channel find none of its messages', async () => {
  const { ben, named } = await conversations()
  await leaves(ben, 'plot')
  assert.equal(await finds(ben, [], named), 'verona reply feud dm group self')
})

test('former subscribers of a public channel still find messages they received', async () => {
  const { ann, ben, named } = await conversations()
  await leaves(ben, 'Verona')
  const away = await ann.sends({ channel: 'Verona' })
  assert.equal(await finds(ben, [], { ...named, away }), 'verona reply feud plot dm group self')
  assert.equal(await finds(ben, [['channel', 'verona']], { ...named, away }), 'verona reply feud away')
})

test('all public channels can be searched at once, but not by guests', async () => {
  const { ann, mona, gus, named } = await conversations()
  for (const operator of ['channels', 'streams'])
    assert.equal(await finds(mona, [[operator, 'public']], named), 'verona reply feud')
  assert.equal(await finds(mona, [['channels', 'web-public']], named), '')
  assert.equal(await finds(gus, [['channels', 'public']], named), '')
  await inChannel('Verona', [ann, gus])
  const received = await ann.sends({ channel: 'Verona' })
  assert.equal(await finds(gus, [['channels', 'public']], { ...named, received }), 'received')
})

test('topic ignores case', async () => {
  const { ben, named } = await conversations()
  assert.equal(await finds(ben, [['topic', 'BALCONY']], named), 'verona reply plot')
  const narrow: Narrow = [
    ['stream', 'verona'],
    ['topic', 'balcony'],
  ]
  assert.equal(await finds(ben, narrow, named), 'verona reply')
  const others = [{ operator: 'topic', operand: 'balcony', negated: true }]
  assert.equal(await finds(ben, others, named), 'feud dm group self')
})

test('the display name of the empty topic means the empty topic', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  const named = { empty: await ann.sends({ channel: 'verona', topic: '' }) }
  assert.equal(await finds(ann, [['topic', 'general chat']], named), 'empty')
  assert.equal(await finds(ann, [['topic', '']], named), 'empty')
})

test('dm narrows to exactly one conversation, by ids or emails, with or without the caller', async () => {
  const { ann, ben, mona, host, named } = await conversations()
  const withAnn = [[ann.id], [ann.id, ben.id], `ann@${host}`, `ann@${host},ben@${host}`]
  for (const operator of ['dm', 'pm-with', 'pm_with'])
    for (const operand of withAnn) assert.equal(await finds(ben, [{ operator, operand }], named), 'dm')
  assert.equal(await finds(ben, [{ operator: 'dm', operand: [mona.id, ann.id] }], named), 'group')
  assert.equal(await finds(ben, [{ operator: 'dm', operand: [ben.id] }], named), 'self')
  assert.equal(await finds(ben, [{ operator: 'dm', operand: [mona.id] }], named), '')
})

test('dm-including narrows to all conversations with a user, group-pm-with to those of more than two users', async () => {
  const { ann, ben, host, named } = await conversations()
  assert.equal(await finds(ben, [{ operator: 'dm-including', operand: ann.id }], named), 'dm group')
  assert.equal(await finds(ben, [['dm-including', `ann@${host}`]], named), 'dm group')
  assert.equal(await finds(ben, [{ operator: 'dm-including', operand: ben.id }], named), 'dm group self')
  assert.equal(await finds(ben, [['group-pm-with', `ann@${host}`]], named), 'group')
})

test('narrowing to a conversation does not grant access to it', async () => {
  const { ann, ben, adam, named } = await conversations()
  assert.equal(await finds(adam, [{ operator: 'dm', operand: [ann.id, ben.id] }], named), '')
  assert.equal(await finds(adam, [{ operator: 'dm-including', operand: ben.id }], named), '')
  assert.equal(await finds(adam, [{ operator: 'sender', operand: ann.id }], named), '')
})

test('sender narrows by id and by email', async () => {
  const { ann, ben, host, named } = await conversations()
  for (const operand of [ann.id, `ann@${host}`])
    assert.equal(await finds(ben, [{ operator: 'sender', operand }], named), 'verona plot dm')
  const others = [{ operator: 'sender', operand: ann.id, negated: true }]
  assert.equal(await finds(ben, others, named), 'reply feud group self')
})

test('unknown users fail with BAD_NARROW', async () => {
  const { ben } = await newWorld()
  const { ann: stranger } = await newWorld()
  for (const operator of ['dm', 'dm-including', 'group-pm-with', 'sender'])
    for (const operand of ['nobody@example.com', 987_654, stranger.id]) {
      const refusal = await ben.isRefused(api.getMessages, { anchor: 0, narrow: [{ operator, operand }] })
      assert.equal(refusal.code, 'BAD_NARROW')
    }
})

test('is:dm finds direct messages and, negated, the others', async () => {
  const { ben, named } = await conversations()
  for (const operand of ['dm', 'private']) assert.equal(await finds(ben, [is(operand)], named), 'dm group self')
  assert.equal(await finds(ben, [is('dm', true)], named), 'verona reply feud plot')
})

test('is:unread and is:starred follow the flags', async () => {
  const { ben, named } = await conversations()
  const { dm, verona, feud } = named
  await ben.does(flags.updateMessageFlags, { messages: [dm, feud], op: 'add', flag: 'read' })
  await ben.does(flags.updateMessageFlags, { messages: [dm, verona], op: 'add', flag: 'starred' })
  assert.equal(await finds(ben, [is('unread')], named), 'verona reply plot group self')
  assert.equal(await finds(ben, [is('unread', true)], named), 'feud dm')
  assert.equal(await finds(ben, [is('starred')], named), 'verona dm')
  assert.equal(await finds(ben, [is('starred'), ['channel', 'verona']], named), 'verona')
})

test('starred history that the caller did not receive is found without a narrow', async () => {
  const { mona, named } = await conversations()
  await mona.does(flags.updateMessageFlags, { messages: [named.feud], op: 'add', flag: 'starred' })
  assert.equal(await finds(mona, [], named), 'feud group')
  assert.equal(await finds(mona, [is('starred')], named), 'feud')
})

test('is:mentioned finds mentions of every kind', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('verona', [ann, ben])
  const named = {
    plain: await ann.sends({ channel: 'verona' }),
    name: await ann.sends({ channel: 'verona', content: '@**Ben**' }),
    all: await ann.sends({ channel: 'verona', content: '@**all**' }),
  }
  assert.equal(await finds(ben, [is('mentioned')], named), 'name all')
  await joins(mona, 'verona')
  assert.equal(await finds(mona, [is('mentioned')], named), '')
})

test('is:alerted finds messages with an alert word', async () => {
  const { ann, ben } = await newWorld()
  await ben.does(addAlertWords, { alert_words: ['dagger'] })
  const named = {
    plain: await ann.sends({ to: [ben], content: 'a rose' }),
    alerted: await ann.sends({ to: [ben], content: 'a dagger' }),
  }
  assert.equal(await finds(ben, [is('alerted')], named), 'alerted')
  assert.equal(await finds(ben, [is('alerted', true)], named), 'plain')
})

test('near, in:all, with and search mean the same negated', async () => {
  const { ben, named } = await conversations()
  const negated = (operator: string, operand: string | number): Narrow => [{ operator, operand, negated: true }]
  const everything = 'verona reply feud plot dm group self'
  assert.equal(await finds(ben, negated('near', named.dm), named), everything)
  assert.equal(await finds(ben, negated('in', 'all'), named), everything)
  assert.equal(await finds(ben, negated('with', named.group), named), 'group')
  assert.equal(await finds(ben, negated('search', 'example.com'), named), 'verona')
})

test('a term and its negation together match all messages', async () => {
  const { ben, named } = await conversations()
  const without = [{ operator: 'has', operand: 'link', negated: true }]
  assert.equal(await finds(ben, without, named), 'reply feud plot dm group self')
  const others = [{ operator: 'dm-including', operand: ben.id, negated: true }]
  assert.equal(await finds(ben, others, named), 'verona reply feud plot')
})

test('is:resolved finds messages in resolved topics', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  const named = {
    open: await ann.sends({ channel: 'verona', topic: 'feud' }),
    resolved: await ann.sends({ channel: 'verona', topic: '✔ feud' }),
  }
  assert.equal(await finds(ann, [is('resolved')], named), 'resolved')
})

test('in:home excludes muted messages, is:muted finds them, in:all does nothing', async () => {
  const world = await conversations()
  const { ben, ctx, channels, named } = world
  await setPolicy(world, ben, 'feud', 1)
  assert.equal(await finds(ben, [['in', 'home']], named), 'verona reply plot dm group self')
  assert.equal(await finds(ben, [is('muted')], named), 'feud')
  assert.equal(await finds(ben, [['in', 'all']], named), 'verona reply feud plot dm group self')
  await sql`update subscriptions set is_muted = true where user_id = ${ben.id} and channel_id = ${channels.verona}`.execute(
    ctx.db,
  )
  assert.equal(await finds(ben, [['in', 'home']], named), 'plot dm group self')
})

test('an unmuted or followed topic in a muted channel is not muted', async () => {
  const world = await conversations()
  const { ben, ctx, channels, named } = world
  await setPolicy(world, ben, 'feud', 3)
  await sql`update subscriptions set is_muted = true where user_id = ${ben.id} and channel_id = ${channels.verona}`.execute(
    ctx.db,
  )
  assert.equal(await finds(ben, [is('muted')], named), 'verona reply')
  assert.equal(await finds(ben, [is('followed')], named), 'feud')
})

test('anchor "first_unread" skips muted messages, unless the narrow is direct', async () => {
  const world = await conversations()
  const { ben, ctx, named } = world
  await sql`update subscriptions set is_muted = true where user_id = ${ben.id}`.execute(ctx.db)
  await sql`delete from user_topics where user_id = ${ben.id}`.execute(ctx.db) // he follows the topics he started
  const anchor = async (narrow: Narrow) => (await ben.does(api.getMessages, { anchor: 'first_unread', narrow })).anchor
  const direct = [named.dm, named.group, named.self]
  assert.ok(direct.includes((await anchor([['sender', String(world.ann.id)]])) as number))
  assert.equal(await anchor([['channel', 'verona']]), api.largestAnchor)
  assert.equal(await anchor([{ operator: 'dm', operand: [ben.id] }]), named.self)
})

test('anchor "first_unread" is the first unread message with the flag that the narrow names', async () => {
  const { ben, named } = await conversations()
  const flagged = [named.verona, named.plot, named.dm]
  await ben.does(flags.updateMessageFlags, { op: 'add', flag: 'starred', messages: flagged })
  await ben.does(flags.updateMessageFlags, { op: 'add', flag: 'read', messages: [flagged[0]!] })
  const found = await ben.does(api.getMessages, { anchor: 'first_unread', narrow: [['is', 'starred']] })
  assert.equal(found.anchor, flagged[1])
})

test('has narrows by what the content contains', async () => {
  const { ben, named, ctx, realmId } = await conversations()
  assert.equal(await finds(ben, [['has', 'link']], named), 'verona')
  for (const operand of ['image', 'attachment', 'reaction'])
    assert.equal(await finds(ben, [['has', operand]], named), '')
  await sql`insert into reactions (realm_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
            values (${realmId}, ${named.dm}, ${ben.id}, 'unicode_emoji', '1f44d', '+1')`.execute(ctx.db)
  assert.equal(await finds(ben, [['has', 'reaction']], named), 'dm')
})

test('id finds one message, near does not restrict the narrow', async () => {
  const { ben, mona, named } = await conversations()
  for (const operand of [named.dm, String(named.dm)])
    assert.equal(await finds(ben, [{ operator: 'id', operand }], named), 'dm')
  assert.equal(await finds(mona, [{ operator: 'id', operand: named.dm }], named), '')
  assert.equal(await finds(ben, [is('dm'), { operator: 'near', operand: 1 }], named), 'dm group self')
})

test('with narrows to the conversation of its message', async () => {
  const { ben, named } = await conversations()
  const at = (id: number, ...more: Narrow): Narrow => [{ operator: 'with', operand: id }, ...more]
  assert.equal(await finds(ben, at(named.reply, ['channel', 'plot'], ['topic', 'nothing']), named), 'verona reply')
  assert.equal(await finds(ben, at(named.group), named), 'group')
})

test('with an inaccessible message fails unless the narrow names another conversation', async () => {
  const { ann, ben, mona, named } = await conversations()
  const hidden = await ann.sends({ to: [mona] })
  const at: Narrow = [{ operator: 'with', operand: hidden }]
  const topic: Narrow = [
    ['channel', 'verona'],
    ['topic', 'feud'],
  ]
  assert.equal(await finds(ben, [...at, ...topic], named), 'feud')
  for (const narrow of [at, [...at, ['channel', 'verona']], [...at, ...at]])
    assert.equal((await ben.isRefused(api.getMessages, { anchor: 0, narrow })).code, 'BAD_NARROW')
})

test('contradictory terms fail with BAD_NARROW', async () => {
  const { ben } = await conversations()
  for (const narrow of [
    [is('dm'), ['channel', 'verona']],
    [is('dm'), ['topic', 'feud']],
    [{ operator: 'dm', operand: [ben.id] }, ['channels', 'public']],
  ])
    assert.equal((await ben.isRefused(api.getMessages, { anchor: 0, narrow })).code, 'BAD_NARROW')
})

test('no direct message is in a resolved or followed topic', async () => {
  const { ben, ann, named } = await conversations()
  for (const direct of [is('dm'), is('private'), { operator: 'dm', operand: [ann.id] }])
    for (const property of ['resolved', 'followed']) assert.equal(await finds(ben, [direct, is(property)], named), '')
})

test('unknown operators and operands fail with BAD_NARROW', async () => {
  const { ben } = await newWorld()
  for (const narrow of [
    [['constructor', 'x']],
    [['', '']],
    [is('toString')],
    [is('sleepy')],
    [['has', 'soul']],
    [['in', 'vain']],
    [['channels', 'secret']],
    [['id', 'one']],
    [{ operator: 'id', operand: 2_147_483_648 }],
    [{ operator: 'id', operand: -1 }],
    [{ operator: 'id', operand: [1] }],
    [{ operator: 'with', operand: 'me' }],
    [['search', ' ']],
  ])
    assert.equal((await ben.isRefused(api.getMessages, { anchor: 0, narrow })).code, 'BAD_NARROW')
})

test('a malformed narrow is refused', async () => {
  const { ben } = await newWorld()
  for (const narrow of ['is:dm', [[]], [['is']], [{ operator: 'is' }], [{ operand: 'dm' }], [null], [{}]])
    assert.equal((await ben.isRefused(api.getMessages, { anchor: 0, narrow })).code, 'BAD_REQUEST')
})

test('operands of the wrong type are refused, not converted', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('5', [ann, ben])
  const terms = [
    { operator: 'topic', operand: 5 },
    { operator: 'topic', operand: [] },
    { operator: 'channel', operand: [1] },
    { operator: 'channel', operand: [] },
    { operator: 'sender', operand: [ben.id] },
    { operator: 'dm-including', operand: [ben.id] },
    { operator: 'dm', operand: '' },
    { operator: 'dm', operand: ' ,' },
    { operator: 'is', operand: ['dm'] },
    { operator: 'id', operand: [1] },
    { operator: 'search', operand: 5 },
  ]
  for (const term of terms)
    assert.equal(
      (await ann.isRefused(api.getMessages, { anchor: 'newest', narrow: [term] })).code,
      'BAD_NARROW',
      JSON.stringify(term),
    )
})

test('a narrow that names more than 1,000 users is refused before they are looked up; a repeated name counts once', async () => {
  const { ann, ben } = await newWorld()
  const change = { anchor: 'newest' as const, num_before: 1, num_after: 0, op: 'add' as const, flag: 'read' }
  const names = Array.from({ length: 501 }, (_, index) => `${index}@x.example`).join(',')
  const narrow = [
    ['dm', names],
    ['sender', names],
  ] as Narrow
  assert.equal((await ann.isRefused(flags.updateFlagsInNarrow, { ...change, narrow })).desc, 'too many users')
  const repeated = Array.from({ length: 1001 }, () => ben.id).join(',')
  await ann.does(flags.updateFlagsInNarrow, { ...change, narrow: [['dm', repeated]] })
})

test('an empty dm operand matches nothing, and null means no narrow', async () => {
  const { ann } = await newWorld()
  const self = await ann.sends({ to: [ann] })
  const narrow = [{ operator: 'dm', operand: [] }]
  const nobody = await ann.does(api.getMessages, { anchor: 'newest', num_before: 10, narrow })
  assert.deepEqual(nobody.messages, [])
  const all = await ann.does(api.getMessages, { anchor: 'newest', num_before: 10, narrow: null })
  assert.ok(all.messages.some(({ id }) => id === self))
})
