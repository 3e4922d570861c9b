import assert from 'node:assert/strict'
import { test } from 'node:test'
import { narrows } from '../messages/narrow.ts'
import { Session } from './session.ts'
import { VisitorClient } from './visitor.ts'

const open = {
  realm_name: 'Harbour',
  realm_icon_url: '',
  channels: [{ stream_id: 7, name: 'design', description: '' }],
}
const message = {
  id: 1,
  sender_id: 3,
  sender_full_name: 'Ines',
  timestamp: 1,
  content: '<p>hi</p>',
  is_me_message: false,
}

/** A visitor of a server that answers what it has by path, and the paths that were requested. */
async function visit() {
  const requested: string[] = []
  const answers = new Map<string, object>([
    ['/api/v1/open', open],
    ['/api/v1/open/7/topics', { topics: [{ name: 'tea', max_id: 1 }] }],
    ['/api/v1/open/7/messages', { messages: [{ ...message, subject: 'tea' }], found_oldest: true, found_newest: true }],
  ])
  const fetch = async (url: unknown) => {
    const { pathname, search } = new URL(String(url))
    requested.push(pathname + search)
    return Response.json({ result: 'success', msg: '', ...answers.get(pathname) })
  }
  const client = await VisitorClient.start({ site: 'http://parley.test', fetch: fetch as typeof globalThis.fetch })
  const session = new Session(client, undefined, { mayAct: false })
  void session.run()
  while (!session.store) await new Promise(setImmediate)
  return { session, client, requested }
}

test('a visitor has the open channels, and reads their messages through the windows of every client', async (t) => {
  const { session, requested } = await visit()
  t.after(() => session.stop())
  const window = session.window(narrows.topic(7, 'tea'))
  await window.open('first_unread')
  assert.deepEqual([...session.store!.channels.subscribed.keys()], [7])
  assert.deepEqual(window.ids, [1])
  assert.equal(session.messages.byId.get(1)!.display_recipient, 'design')
  assert.match(requested.at(-1)!, /^\/api\/v1\/open\/7\/messages\?.*topic=tea/)
})

test('a visitor can call nothing else', async (t) => {
  const { session, client, requested } = await visit()
  t.after(() => session.stop())
  const before = requested.length
  await assert.rejects(client.call('getDrafts'), { code: 'UNAUTHORIZED' })
  await assert.rejects(client.call('sendMessage', { type: 'stream', to: 7, topic: 'tea', content: 'hi' }))
  assert.equal(requested.length, before)
})
