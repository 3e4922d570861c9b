import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editMessage } from '@parley/api/conversations/editing'
import { getMessage } from '@parley/api/conversations/messages'
import * as api from '@parley/api/conversations/rendering'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { restrictGuests } from '../../../testing/configure-realm.ts'
import { newWorld } from '../../../testing/world.ts'

test('the render endpoint returns the same HTML as a message', async () => {
  const { ann, gus } = await newWorld()
  assert.equal(
    (await ann.does(api.renderMessage, { content: 'so **be** it' })).rendered,
    '<p>so <strong>be</strong> it</p>',
  )
  assert.equal((await gus.does(api.renderMessage, { content: '' })).rendered, '')
})

test('a rendered mention contains the id of the mentioned user', async () => {
  const { ann, ben } = await newWorld()
  const { rendered } = await ann.does(api.renderMessage, { content: '@**Ben**' })
  assert.match(rendered, new RegExp(`data-user-id="${ben.id}"`))
})

test('a restricted guest cannot look up hidden users by rendering mentions', async () => {
  const world = await newWorld()
  const { ann, ben, gus } = world
  await inChannel('garden', [ann, gus])
  await restrictGuests(world)
  const { rendered } = await gus.does(api.renderMessage, { content: `@**|${ann.id}** @_**|${ben.id}** @**Ben**` })
  assert.match(rendered, new RegExp(`data-user-id="${ann.id}"`))
  assert.doesNotMatch(rendered, new RegExp(`data-user-id="${ben.id}"`))
})

test('a channel that the caller cannot read is not rendered as a link', async () => {
  const { ann, adam } = await newWorld()
  await inChannel('den', [ann], { invite_only: true })
  assert.match((await ann.does(api.renderMessage, { content: '#**den**' })).rendered, /data-stream-id/)
  assert.doesNotMatch((await adam.does(api.renderMessage, { content: '#**den**' })).rendered, /data-stream-id/)
})

test('a topic link leads to the first message of the topic that its author can read', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('plot', [ann], { invite_only: true, history_public_to_subscribers: false })
  const first = await ann.sends({ channel: 'plot', topic: 'feud' })
  await ann.sends({ channel: 'plot', topic: 'old' })
  await inChannel('plot', [ann, ben])
  const second = await ann.sends({ channel: 'plot', topic: 'feud' })
  await ann.sends({ channel: 'plot', topic: 'feud' })
  const linkOf = async (author: Actor, topic: string) => {
    const { rendered } = await author.does(api.renderMessage, { content: `#**plot>${topic}**` })
    return /topic\/\w+(?:\/with\/\d+)?/.exec(rendered)![0]
  }
  assert.equal(await linkOf(ann, 'feud'), `topic/feud/with/${first}`)
  assert.equal(await linkOf(ben, 'feud'), `topic/feud/with/${second}`)
  assert.equal(await linkOf(ben, 'old'), 'topic/old')
})

test('a text longer than a message is refused', async () => {
  const { ann } = await newWorld()
  await ann.does(api.renderMessage, { content: '😀'.repeat(10_000) })
  assert.equal((await ann.isRefused(api.renderMessage, { content: 'x'.repeat(10_001) })).code, 'BAD_REQUEST')
  assert.equal((await ann.isRefused(api.renderMessage)).code, 'REQUEST_VARIABLE_MISSING')
})

test("a link to the realm's own URL becomes relative when rendered, sent or edited", async () => {
  const { ann, host } = await newWorld()
  const content = `[foo](http://${host}/#narrow/channel/1-Denmark)`
  const html = '<p><a href="#narrow/channel/1-Denmark">foo</a></p>'
  assert.equal((await ann.does(api.renderMessage, { content })).rendered, html)
  const message_id = await ann.sends({ to: [ann], content })
  const shown = async () => (await ann.does(getMessage, { path: { message_id } })).message.content
  assert.equal(await shown(), html)
  await ann.does(editMessage, { path: { message_id }, content: `${content} ` })
  await ann.does(editMessage, { path: { message_id }, content: `again ${content}` })
  assert.equal(await shown(), html.replace('<p>', '<p>again '))
})
