import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateSubscription } from '@parley/api/conversations/subscriptions'
import { updateSettings } from '@parley/api/people/own-settings'
import { matches } from '../../platform/db/matches.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { emailWorld, mailed, plan } from '../../testing/email-world.ts'
import { FormBrowser } from '../../testing/forms.ts'
import { newWorld } from '../../testing/world.ts'
import { muteToken, unsubscribeToken } from './turn-off-emails.ts'

const oneClick = { 'List-Unsubscribe': 'One-Click' }

/** A world in which Ann got an email, and the path of its link. */
async function withLink() {
  const world = await emailWorld()
  await world.ben.sends({ to: [world.ann] })
  const [email] = await mailed(world)
  const url = /<(.*)>/.exec(email!.headers.get('list-unsubscribe')!)![1]!
  const wantsEmails = async () => (await world.ann.registers()).user_settings!.enable_offline_email_notifications
  return { ...world, path: new URL(url).pathname, browser: new FormBrowser(world), wantsEmails }
}

test('opening the link changes nothing and shows a button, which turns the emails off', async () => {
  const world = await withLink()
  const { ann, ben, browser, path, wantsEmails } = world
  const page = await browser.open(path)
  assert.equal(page.statusCode, 200)
  assert.match(page.body, /<form class="actions" method="post">/)
  assert.ok(await wantsEmails())
  await plan(world)
  await ben.sends({ to: [ann] })
  const done = await browser.post(path, {})
  assert.match(done.body, /Emails are off/)
  assert.ok(!(await wantsEmails()))
  assert.equal((await mailed(world)).length, 1)
})

test('email programs turn the emails off with one request, also from another site, and may repeat it', async () => {
  const { app, host, path, wantsEmails } = await withLink()
  const payload = new URLSearchParams(oneClick).toString()
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  const foreign = { origin: 'https://mail.example.com', 'sec-fetch-site': 'cross-site' }
  for (const more of [foreign, {}]) {
    const answer = await app.inject({ method: 'POST', url: path, payload, headers: { ...headers, ...more } })
    assert.equal(answer.statusCode, 200)
    assert.ok(!(await wantsEmails()))
  }
})

test('one click may come as multipart', async () => {
  const { app, host, path, wantsEmails } = await withLink()
  const payload = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
  const headers = { host, 'content-type': 'multipart/form-data; boundary=x' }
  assert.equal((await app.inject({ method: 'POST', url: path, payload, headers })).statusCode, 200)
  assert.ok(!(await wantsEmails()))
})

test('emails about channels and followed topics end too, and clients learn it', async () => {
  const { ann, ben, browser, path } = await withLink()
  const stream_id = await inChannel('verona', [ann, ben])
  await ann.does(updateSubscription, { path: { stream_id }, property: 'email_notifications', value: true })
  await ann.does(updateSettings, { enable_stream_email_notifications: true })
  await ann.registers()
  await browser.post(path, oneClick)
  const changed = await ann.receives('user_settings')
  assert.deepEqual(changed.map(({ property, value }) => [property, value]).toSorted(), [
    ['enable_followed_topic_email_notifications', false],
    ['enable_offline_email_notifications', false],
    ['enable_stream_email_notifications', false],
  ])
  const own = (await ann.registers()).subscriptions!.find((channel) => channel.stream_id === stream_id)
  assert.equal(own!.email_notifications, false)
})

test('wrong, forged and expired links change nothing', async () => {
  const { ann, realmId, ctx, browser, path, wantsEmails } = await withLink()
  const other = await newWorld()
  const token = path.split('/').at(-1)!
  const at = token.length / 2
  const forged = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  const owner = { realmId, userId: ann.id }
  const wrong = [
    'x',
    forged,
    `${token}=`,
    unsubscribeToken(ctx.vault, owner, Date.now() - 91 * 86_400_000),
    unsubscribeToken(ctx.vault, { ...owner, realmId: other.realmId }),
    ctx.vault.sealToken('email change', { ...owner, validUntil: Date.now() + 1000 }),
  ]
  for (const one of wrong) {
    assert.equal((await browser.open(`/unsubscribe/${one}`)).statusCode, 404)
    assert.equal((await browser.post(`/unsubscribe/${one}`, oneClick)).statusCode, 404)
  }
  assert.ok(await wantsEmails())
})

test('a link mutes the topic of its email, but only while its user can read what is new there', async () => {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  const stream_id = await inChannel('verona', [ann, ben])
  await ben.sends({ channel: 'verona', topic: 'castle' })
  const topic = ctx.db
    .selectFrom('topics')
    .select('id')
    .where(matches({ realm_id: realmId, channel_id: stream_id }))
  const { id } = await topic.executeTakeFirstOrThrow()
  const path = `/mute-topic/${muteToken(ctx.vault, { realmId, userId: ann.id }, id)}`
  const browser = new FormBrowser(world)
  assert.match((await browser.post(path, {})).body, /The topic is muted/)
  assert.equal((await ann.registers()).user_topics![0]!.visibility_policy, 1)

  await ctx.db.updateTable('channels').set({ invite_only: true }).where('id', '=', stream_id).execute()
  await ctx.db
    .updateTable('channels')
    .set({ history_public_to_subscribers: false })
    .where('id', '=', stream_id)
    .execute()
  await leaves(ann, 'verona')
  await ben.sends({ channel: 'verona', topic: 'castle' })
  assert.equal((await browser.post(path, {})).statusCode, 404)
})
