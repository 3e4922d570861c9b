import assert from 'node:assert/strict'
import { newReceiver } from '../../server/src/testing/peers/receiver.ts'
import { until } from '../../server/src/testing/until.ts'
import { journey, messageWith, openTopic, say } from './journey.ts'

const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A page that answers when the test wants it to. */
async function newPage() {
  const waiting: (() => void)[] = []
  const site = await newReceiver((response, { path }) => {
    if (path === '/pic.png') return response.writeHead(200, { 'content-type': 'image/png' }).end(dot)
    waiting.push(() =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<meta property="og:title" content="The release notes"><meta property="og:image" content="/pic.png">'),
    )
  })
  return { url: `http://127.0.0.1:${site.port}/notes`, waiting }
}

journey('a preview appears without moving what is read, and its sender removes it', async ({ demo, signIn }) => {
  const admin = await demo.as('owner')
  await admin.call('updateRealm', { inline_url_embed_preview: true })
  const { url, waiting } = await newPage()
  await say(demo, 'member', 'links', [`notes at ${url}`, ...Array.from({ length: 40 }, (_, n) => `line ${n}`)])
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'links')
  await messageWith(page, 'line 39').waitFor()
  const last = messageWith(page, 'line 39')
  await last.scrollIntoViewIfNeeded()
  const topOf = async () => Math.round((await last.boundingBox())!.y)
  const before = await topOf()
  await until(() => waiting[0])
  waiting[0]!()
  await until(async () => (await page.locator('.message_embed').count()) === 1)
  assert.equal(await topOf(), before)

  await messageWith(page, 'notes at').scrollIntoViewIfNeeded()
  const embed = page.locator('.message_embed')
  await until(async () => embed.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth > 0))
  assert.equal(await embed.locator('.message_embed_title').textContent(), 'The release notes')
  await messageWith(page, 'notes at').hover()
  await messageWith(page, 'notes at').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Remove link preview' }).click()
  await until(async () => (await page.locator('.message_embed').count()) === 0)
})
