import '../../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standardEntries } from '../../messages/emoji-list.ts'
import { type Sources, suggest } from './completion.ts'

const user = (user_id: number, full_name: string, is_active = true) => ({ user_id, full_name, is_active, email: '' })
const channel = (stream_id: number, name: string) => ({ stream_id, name, description: '' })

const sources = {
  store: {
    users: {
      byId: new Map([user(5, 'Ann Lee'), user(6, 'Ben'), user(7, 'Anna', false)].map((one) => [one.user_id, one])),
    },
    groups: { byId: new Map([[1, { name: 'anglers', description: '', is_system_group: false }]]) },
    channels: {
      subscribed: new Map([[3, channel(3, 'design')]]),
      neverSubscribed: new Map([[4, channel(4, 'deep sea')]]),
    },
    statuses: { byUser: new Map() },
  },
  participants: () => [],
  emoji: () => standardEntries({ '1f642': ['smile'], '1f63a': ['smiley_cat'], '1f44d': ['+1', 'thumbs_up'] }),
  commands: () => [
    { bot_id: 6, name: 'deploy', description: 'Start a release', args: [{ name: 'where', type: 'text' }] },
  ],
  topics: (id: number) => (id === 3 ? ['Icons', 'release notes', '✔ Release plan'] : []),
} as unknown as Sources

const labels = (before: string) => suggest(sources, before)?.suggestions.map(({ label }) => label)
/** The text after the first suggestion was taken. */
const completed = (before: string) => {
  const found = suggest(sources, before)
  return found && before.slice(0, before.length - found.length) + found.suggestions[0]!.text
}

test('a slash at the start of a message offers the commands that begin like it', () => {
  assert.deepEqual(labels('/'), ['/poll', '/todo', '/me', '/deploy'])
  assert.equal(suggest(sources, '/dep')!.suggestions[0]!.detail, '[where] Start a release')
  assert.deepEqual(labels('/po'), ['/poll'])
})

test('a slash elsewhere, or an unknown command, offers nothing', () => {
  assert.equal(labels('and /'), undefined)
  assert.equal(labels('/nothing'), undefined)
})

test('mentions offer active users and groups whose words begin like what was typed', () => {
  assert.deepEqual(labels('hi @an'), ['Ann Lee', 'anglers'])
  assert.equal(completed('hi @le'), 'hi @**Ann Lee|5** ')
})

test('who wrote in the conversation is offered first', () => {
  const present = { ...sources, participants: () => [6] }
  assert.deepEqual(
    suggest(present, '@')!
      .suggestions.slice(0, 2)
      .map(({ label, hint }) => [label, hint]),
    [
      ['Ben', 'taking part'],
      ['Ann Lee', undefined],
    ],
  )
})

test('an email address is not a mention', () => {
  assert.equal(labels('ann@example'), undefined)
})

test('a colon and two letters offer emoji, the best match first', () => {
  assert.deepEqual(labels('well :smi'), [':smile:', ':smiley_cat:'])
  assert.equal(completed('well :thumb'), 'well :thumbs_up: ')
  assert.equal(labels('well :s'), undefined)
})

test('times and addresses with a colon offer no emoji', () => {
  assert.equal(labels('at 10:30'), undefined)
  assert.equal(labels('https://sm'), undefined)
})

test('a hash offers channels, and a sign after a channel offers its topics', () => {
  assert.deepEqual(labels('see #de'), ['design', 'deep sea'])
  for (const before of ['see #**design>rel', 'see #**design** >rel', 'see #design>rel'])
    assert.equal(completed(before), 'see #**design>release notes** ', before)
})

test('resolved topics are found by their name', () => {
  assert.deepEqual(labels('#**design>plan'), ['#design › ✔ Release plan'])
})

test('topics of an unknown channel offer nothing', () => {
  assert.equal(labels('#**nowhere>rel'), undefined)
})
