import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { updateMessagePreviews } from '@parley/api/conversations/link-previews'
import { operations } from '@parley/api/operations'
import { startBackgroundWork } from '../../boot/background-jobs.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newReceiver, type Received, type Receiver } from '../../testing/peers/receiver.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A site with pages by path. Unknown ones are images. */
function newSite(pages: Record<string, string | ((origin: string) => { status: number; location: string })>) {
  return newReceiver((response, { path, headers }: Received) => {
    const page = pages[path]
    if (typeof page === 'string')
      return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    if (page) {
      const { status, location } = page(`http://${headers.host}`)
      return response.writeHead(status, { location }).end()
    }
    return response.writeHead(200, { 'content-type': 'image/png' }).end(image)
  })
}

const card = (title: string) =>
  `<html><head><meta property="og:title" content="${title}"><meta content='A &amp; B' name=description>
   <meta property="og:image" content="/pic.png"></head><body>…`

/** A world that wants previews, and may fetch pages of this machine. */
async function previewingWorld(t: TestContext, internal = ['127.0.0.1']): Promise<World> {
  const world = await newWorld()
  world.ctx.config.internalPreviews = internal
  const jobs = startBackgroundWork(world.ctx)
  t.after(() => jobs.stop())
  await world.olga.does(operations.updateRealm, { inline_url_embed_preview: true })
  await inChannel('verona', [world.ann, world.ben])
  return world
}

async function htmlOf(reader: Actor, message_id: number): Promise<string> {
  const { message } = await reader.does(operations.getMessage, { path: { message_id } })
  return message.content
}

const previewOf = (reader: Actor, id: number) =>
  until(async () => {
    const html = await htmlOf(reader, id)
    return html.includes('message_embed') && html
  })

/** Until nothing is left to fetch. */
const settled = ({ ctx, realmId }: World, id: number) =>
  until(async () => {
    const cursor = await ctx.db
      .selectFrom('preview_cursors')
      .selectAll()
      .where('realm_id', '=', realmId)
      .executeTakeFirst()
    const pending = await ctx.db
      .selectFrom('pending_previews')
      .select('message_id')
      .where('realm_id', '=', realmId)
      .execute()
    return (!cursor || cursor.last_message >= id) && pending.length === 0
  })

const origin = ({ port }: Receiver) => `http://127.0.0.1:${port}`

test('a linked page is shown after the send, with an image that comes from this server', async (t) => {
  const world = await previewingWorld(t)
  const { ann, ben } = world
  const site = await newSite({ '/page': card('Release &quot;1.0&quot; &lt;b&gt;') })
  const url = `${origin(site)}/page`
  await ben.registers()
  const id = await ann.sends({ channel: 'verona', content: `see ${url}` })
  const html = await previewOf(ann, id)
  assert.match(html, /message_embed_title"><a[^>]*>Release "1\.0" &lt;b&gt;<\/a>/)
  assert.match(html, /message_embed_description">A &amp; B</)
  const [, path] = /background-image: url\(&quot;(\/external_content\/[\w-]+\/[0-9a-f]+)&quot;\)/.exec(html)!
  const served = await world.app.inject({ url: path!, headers: { host: world.host } })
  assert.deepEqual([served.statusCode, served.headers['content-type']], [200, 'image/webp'])
  const [event] = await ben.receives('update_message')
  assert.deepEqual([event?.rendering_only, event?.message_id], [true, id])
  assert.deepEqual(
    site.requests.map(({ headers }) => [headers.cookie, headers.referer, headers['user-agent']]),
    site.requests.map(() => [undefined, undefined, 'Parley-Preview/1.0']),
  )
})

test('a page is fetched once, until it is a week old', async (t) => {
  const world = await previewingWorld(t)
  const site = await newSite({ '/page': card('Once') })
  for (let count = 0; count < 2; count++)
    await previewOf(world.ann, await world.ann.sends({ channel: 'verona', content: `${origin(site)}/page` }))
  assert.equal(site.requests.filter(({ path }) => path === '/page').length, 1)
})

test('pages of private conversations are not fetched, unless the organization wants it', async (t) => {
  const world = await previewingWorld(t)
  const { ann, ben, olga } = world
  await inChannel('den', [ann, ben], { invite_only: true })
  const site = await newSite({ '/page': card('Secret') })
  const content = `${origin(site)}/page`
  await ann.sends({ channel: 'den', content })
  await settled(world, await ann.sends({ to: [ben], content }))
  assert.equal(site.requests.length, 0)
  await olga.does(operations.updateRealm, { preview_private_conversations: true })
  await previewOf(ann, await ann.sends({ to: [ben], content }))
})

test('denied domains are not fetched; with allowed ones, only those', async (t) => {
  const world = await previewingWorld(t)
  const { ann, olga } = world
  const site = await newSite({ '/page': card('Page') })
  const content = `${origin(site)}/page`
  await olga.does(operations.updateRealm, { preview_domains_denied: 'example.com 127.0.0.1' })
  await settled(world, await ann.sends({ channel: 'verona', content }))
  await olga.does(operations.updateRealm, { preview_domains_denied: '', preview_domains_allowed: 'example.com' })
  await settled(world, await ann.sends({ channel: 'verona', content }))
  assert.equal(site.requests.length, 0)
})

test('the sender and moderators remove a preview and bring it back; others may not', async (t) => {
  const world = await previewingWorld(t)
  const { ann, ben, mona } = world
  await inChannel('verona', [mona])
  const site = await newSite({ '/page': card('Page') })
  const id = await ann.sends({ channel: 'verona', content: `${origin(site)}/page` })
  await previewOf(ann, id)
  const path = { message_id: id }
  assert.match((await ben.isRefused(updateMessagePreviews, { path, hidden: true })).msg, /Only the sender/)
  assert.match(
    (await ann.isRefused(updateMessagePreviews, { path, hidden: true, url: 'https://x.com' })).msg,
    /no such/,
  )
  await ann.does(updateMessagePreviews, { path, hidden: true })
  assert.doesNotMatch(await htmlOf(ann, id), /message_embed/)
  await mona.does(updateMessagePreviews, { path, hidden: false, url: `${origin(site)}/page` })
  assert.match(await htmlOf(ann, id), /message_embed/)
})

test('an edited message shows the pages of its new text', async (t) => {
  const world = await previewingWorld(t)
  const { ann } = world
  const site = await newSite({ '/a': card('First'), '/b': card('Second') })
  const id = await ann.sends({ channel: 'verona', content: `${origin(site)}/a` })
  await previewOf(ann, id)
  await ann.does(operations.editMessage, { path: { message_id: id }, content: `${origin(site)}/b` })
  assert.match(await previewOf(ann, id), /Second/)
  assert.doesNotMatch(await htmlOf(ann, id), /First/)
})

test('redirects are followed three times, and each is checked', async (t) => {
  const world = await previewingWorld(t, ['localhost'])
  const { ann } = world
  const inner = await newSite({ '/secret': card('Secret') })
  const forbidden = `http://127.0.0.1:${inner.port}/secret`
  const site = await newSite({
    '/ok': () => ({ status: 302, location: '/page' }),
    '/page': card('Redirected'),
    '/in': () => ({ status: 302, location: '/further' }),
    '/further': () => ({ status: 301, location: forbidden }),
    '/loop': () => ({ status: 307, location: '/loop' }),
    '/file': () => ({ status: 302, location: 'file:///etc/passwd' }),
    '/image': `<meta property="og:title" content="Image"><meta property="og:image" content="${forbidden}">`,
  })
  const sends = (path: string) => ann.sends({ channel: 'verona', content: `http://localhost:${site.port}${path}` })
  assert.match(await previewOf(ann, await sends('/ok')), /Redirected/)
  for (const path of ['/in', '/loop', '/file']) {
    const id = await sends(path)
    await settled(world, id)
    assert.doesNotMatch(await htmlOf(ann, id), /message_embed/)
  }
  assert.equal(site.requests.filter(({ path }) => path === '/loop').length, 4)
  const html = await previewOf(ann, await sends('/image'))
  const [, path] = /url\(&quot;([^&]*)&quot;\)/.exec(html)!
  assert.equal((await world.app.inject({ url: path!, headers: { host: world.host } })).statusCode, 404)
  assert.equal(inner.requests.length, 0)
})

test('no spelling of an internal address is connected to', async (t) => {
  const world = await previewingWorld(t, [])
  const { ann, ctx, realmId } = world
  const inner = await newSite({ '/': card('Inside') })
  const hosts = [
    ...['127.0.0.1', 'localhost', '127.1', '0', '0.0.0.0', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1.'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]', '169.254.169.254', '10.0.0.1', '[fe80::1]'],
  ]
  for (const host of hosts) await ann.sends({ channel: 'verona', content: `[link](http://${host}:${inner.port}/)` })
  await settled(world, await ann.sends({ channel: 'verona' }))
  const tried = await ctx.db.selectFrom('link_previews').select('image_url').where('realm_id', '=', realmId).execute()
  assert.deepEqual([tried.length, tried.filter(({ image_url }) => image_url !== null).length], [hosts.length, 0])
  assert.equal(inner.requests.length, 0)
})
