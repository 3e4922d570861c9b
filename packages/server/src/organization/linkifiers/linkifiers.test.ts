import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMessage } from '@parley/api/conversations/messages'
import * as api from '@parley/api/organization/linkifiers'
import { updateRealm } from '@parley/api/organization/realm'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { everything, legacyClient, verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

const issue = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://t.example/{id}' }
const ticket = { pattern: 'T-(?P<n>[0-9]+)', url_template: 'https://x.example/?q={n}' }
const adds = async (actor: Actor, linkifier: object) => (await actor.does(api.addLinkifier, linkifier as never)).id
const list = async (actor: Actor) => (await actor.does(api.getLinkifiers)).linkifiers

test('matching text in messages and topics becomes links, also in events', async () => {
  const { adam, ann } = await newWorld()
  await adds(adam, issue)
  await inChannel('verona', [ann])
  await ann.registers()
  const id = await ann.sends({ channel: 'verona', topic: 'about #321', content: 'see #7' })
  const link = [{ text: '#321', url: 'https://t.example/321' }]
  const html = '<p>see <a href="https://t.example/7">#7</a></p>'
  const { message } = await ann.does(getMessage, { path: { message_id: id }, apply_markdown: true })
  assert.deepEqual([message.content, message.topic_links], [html, link])
  const received = (await ann.receives('message')).at(-1)!.message
  assert.deepEqual([received.topic_links, received.subject], [link, 'about #321'])
})

test('linkifiers are added, updated, ordered and removed', async () => {
  const { adam, gus } = await newWorld()
  const a = await adds(adam, { ...issue, example_input: '#12' })
  const b = await adds(adam, ticket)
  await adam.does(api.updateLinkifier, { path: { filter_id: b }, ...ticket, url_template: 'https://y.example/{n}' })
  await adam.does(api.reorderLinkifiers, { ordered_linkifier_ids: [b, a] })
  assert.deepEqual(await list(gus), [
    { id: b, ...ticket, url_template: 'https://y.example/{n}', example_input: null },
    { id: a, ...issue, example_input: '#12' },
  ])
  await adam.does(api.removeLinkifier, { path: { filter_id: b } })
  assert.deepEqual(
    (await list(gus)).map(({ id }) => id),
    [a],
  )
})

test('invalid linkifiers are refused with an error for the invalid field', async () => {
  const { adam } = await newWorld()
  await adds(adam, issue)
  const wrong: [object, string][] = [
    [{ ...ticket, pattern: '(?P<n>[0-9]+' }, 'pattern'],
    [{ ...ticket, pattern: '' }, 'pattern'],
    [{ ...ticket, pattern: 'x)(?P<n>y' }, 'pattern'],
    [{ ...ticket, pattern: '(?P<n>a)(?=b)' }, 'pattern'],
    [issue, 'pattern'],
    [{ ...ticket, url_template: 'https://x.example/{n' }, 'url_template'],
    [{ ...ticket, url_template: '{n}' }, 'url_template'],
    [{ ...ticket, url_template: 'https://x.example/' }, '__all__'],
    [{ ...ticket, url_template: 'https://x.example/{n}/{m}' }, '__all__'],
    [{ ...ticket, example_input: 'nothing' }, 'example_input'],
  ]
  for (const [one, field] of wrong) {
    const { code, errors } = await adam.isRefused(api.addLinkifier, { ...one })
    assert.equal(code, 'BAD_REQUEST')
    assert.deepEqual(Object.keys(errors as object), [field], JSON.stringify(one))
  }
  assert.equal((await list(adam)).length, 1)
})

test('an order must contain every linkifier once', async () => {
  const { adam } = await newWorld()
  const [a, b] = [await adds(adam, issue), await adds(adam, ticket)]
  for (const ordered_linkifier_ids of [[a], [a, a], [a, b, 999_999_999], []])
    await adam.isRefused(api.reorderLinkifiers, { ordered_linkifier_ids })
})

test('only administrators of the organization may change linkifiers', async () => {
  const { adam, ann } = await newWorld()
  const elsewhere = await newWorld()
  const filter_id = await adds(adam, issue)
  assert.equal((await ann.isRefused(api.addLinkifier, {})).code, 'UNAUTHORIZED_PRINCIPAL')
  await elsewhere.olga.isRefused(api.updateLinkifier, { path: { filter_id }, ...ticket })
  await elsewhere.olga.isRefused(api.removeLinkifier, { path: { filter_id } })
  assert.deepEqual(await list(elsewhere.ann), [])
})

test('clients without support for URL templates get no linkifiers', async () => {
  const { adam, ann } = await newWorld()
  await adds(adam, issue)
  assert.deepEqual((await ann.registers(legacyClient)).realm_linkifiers, [])
  await adds(adam, ticket)
  assert.deepEqual(await ann.receives('realm_linkifiers'), [])
  assert.equal((await ann.registers(everything)).realm_linkifiers!.length, 2)
})

test('administrators add and remove playgrounds', async () => {
  const { adam, ann } = await newWorld()
  const rust = { name: 'Rust', pygments_language: 'Rust', url_template: 'https://play.example/?code={code}' }
  const { id } = await adam.does(api.addPlayground, rust)
  const wrong = [
    rust,
    { ...rust, name: ' ' },
    { ...rust, pygments_language: 'a b' },
    { ...rust, pygments_language: 'x'.repeat(41) },
    { ...rust, pygments_language: 'quote' },
    { ...rust, url_template: 'https://play.example/' },
    { ...rust, url_template: 'https://play.example/{code}{more}' },
    { ...rust, url_template: 'javascript:{code}' },
  ]
  for (const one of wrong) await adam.isRefused(api.addPlayground, one)
  assert.equal((await ann.isRefused(api.addPlayground, rust)).code, 'UNAUTHORIZED_PRINCIPAL')
  assert.deepEqual((await ann.registers()).realm_playgrounds, [{ id, ...rust }])
  await adam.does(api.removePlayground, { path: { playground_id: id } })
  await adam.isRefused(api.removePlayground, { path: { playground_id: id } })
  assert.deepEqual((await ann.receives('realm_playgrounds')).at(-1)!.realm_playgrounds, [])
})

test('removing a playground resets the default code block language if it was that of the playground', async () => {
  const { adam, ann } = await newWorld()
  const own = { name: 'Own', pygments_language: ' own ', url_template: 'https://play.example/?code={code}' }
  const { id } = await adam.does(api.addPlayground, own)
  await adam.does(updateRealm, { default_code_block_language: 'own' })
  await ann.registers()
  await adam.does(api.removePlayground, { path: { playground_id: id } })
  assert.deepEqual(
    (await ann.receives('realm')).map((event) => event.op === 'update' && [event.property, event.value]),
    [['default_code_block_language', '']],
  )
})

for (const params of [everything, legacyClient])
  test(`events are complete: linkifiers and playgrounds${params === legacyClient ? ' (old client)' : ''}`, async () => {
    const { adam, ann, gus } = await newWorld()
    const a = await adds(adam, issue)
    const act = async () => {
      const b = await adds(adam, ticket)
      await adam.does(api.reorderLinkifiers, { ordered_linkifier_ids: [b, a] })
      const url_template = 'https://play.example/?code={code}'
      await adam.does(api.addPlayground, { name: 'Rust', pygments_language: 'Rust', url_template })
    }
    await verifyEvents([adam, ann, gus], act, params)
  })

test('a URL template must start with a safe scheme', async () => {
  const { adam, ann, ctx, realmId } = await newWorld()
  const pattern = 'X-(?P<id>[a-z]+)'
  for (const url_template of [
    'javascript:alert({id})',
    'JavaScript:{id}',
    'data:text/html,{id}',
    'vbscript:{id}',
    'file:///{id}',
    '{id}:x',
    '//x/{id}',
  ]) {
    const { errors } = await adam.isRefused(api.addLinkifier, { pattern, url_template })
    assert.ok((errors as { url_template?: string[] }).url_template, url_template)
  }
  const id = await adds(adam, { pattern, url_template: 'mailto:{id}@example.com' })
  await adam.isRefused(api.updateLinkifier, { path: { filter_id: id }, pattern, url_template: 'javascript:{id}' })
  await ctx.db.updateTable('linkifiers').set({ url_template: 'javascript:{id}' }).where('id', '=', id).execute()
  ctx.realms.drop(realmId)
  await inChannel('verona', [ann])
  const message_id = await ann.sends({ channel: 'verona', topic: 'X-abc', content: 'X-abc' })
  const { message } = await ann.does(getMessage, { path: { message_id }, apply_markdown: true })
  assert.deepEqual([message.content, message.topic_links], ['<p>X-abc</p>', []])
})
