import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogEvent, Personal } from '../../events/log.ts'
import { Vault } from '../../platform/secrets.ts'
import type { Queue, QueueOptions } from './queue.ts'
import { type SharedWireEvents, sharedWireEvents, type WireEvent, wireEvents } from './wire-events.ts'

const vault = new Vault('a secret only for this test')

function optionsWith(more: Partial<QueueOptions> = {}): QueueOptions {
  const flags = { all_public_streams: false, apply_markdown: true, client_gravatar: true, slim_presence: true }
  return {
    ...flags,
    event_types: null,
    narrow: [],
    include_subscribers: false,
    capabilities: { notification_settings_null: true },
    is_zulip_client: false,
    ...more,
  }
}

function queueOf(user_id: number, options: QueueOptions): Queue {
  return { id: `of ${user_id}`, realm_id: 1, user_id, start_event: 0, lifetime_seconds: 600, options, epoch: 0 }
}

function message(personal: Personal | null, content = 'hé'): LogEvent {
  const texts = { content, rendered_content: `<p>${content}</p>`, subject: 'topic', type: 'stream' }
  const payload = JSON.stringify({ id: 5, sender_id: 1, reactions: [], submessages: [], avatar_url: null, ...texts })
  return { seq: 9, type: 'message', payload, audience: { channel: 7 }, personal, internal: null }
}

/** What four users with the same options receive, when it is made once for all of them. */
function sharedByAll(event: LogEvent, options: QueueOptions): WireEvent[][] {
  const shared: SharedWireEvents = new Map()
  return [1, 2, 3, 4].map((id) => sharedWireEvents(event, queueOf(id, options), true, vault, shared))
}

function ownOfEach(event: LogEvent, options: QueueOptions): WireEvent[][] {
  return [1, 2, 3, 4].map((id) => wireEvents(event, queueOf(id, options), true, vault))
}

const personals: Record<string, Personal> = {
  'flags of one user': { flags: { 2: ['mentioned'] }, everyone: ['has_alert_word'] },
  'flags instead of those of everyone': { instead: { 3: ['read'] }, everyone: ['mentioned'] },
  'a sender who is hidden from one user': { hidden: { from: [4], instead: { sender_full_name: 'Unknown user' } } },
  'a local id of the sender': { echo: { queue_id: 'of 1', local_id: '17.01' } },
}

for (const [what, personal] of Object.entries(personals)) {
  test(`a message with ${what} differs for that user only`, () => {
    const own = ownOfEach(message(personal), optionsWith())
    assert.deepEqual(sharedByAll(message(personal), optionsWith()), own)
    assert.equal(new Set(own.map(([wire]) => wire!.text)).size, 2)
  })
}

test('users with a narrow receive only what matches their own flags', () => {
  const event = message({ flags: { 2: ['mentioned'] } })
  const options = optionsWith({ narrow: [['is', 'mentioned']] })
  assert.deepEqual(sharedByAll(event, options), ownOfEach(event, options))
})

test('users who receive the same share one event', () => {
  const [first, ...others] = sharedByAll(message(null), optionsWith())
  for (const other of others) assert.equal(other, first)
})

test('the length of an event in bytes is known', () => {
  for (const content of ['plain', 'é', '👋', '\ud800']) {
    const [wire] = wireEvents(message(null, content), queueOf(1, optionsWith()), true, vault)
    assert.equal(wire!.text.length + wire!.extraBytes, Buffer.byteLength(wire!.text))
  }
})
