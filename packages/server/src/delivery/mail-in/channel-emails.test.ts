import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { operations } from '@parley/api/operations'
import { sql } from 'kysely'
import { many } from '../../platform/db/query.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { newWorld } from '../../testing/world.ts'
import { deliverIncoming } from './deliver-email.ts'
import { accessMailbox } from './mailboxes.ts'
import { topicOf } from './post-to-channel.ts'
import { storeEmail } from './store-email.ts'

const domain = 'chat.example.com'

/** A world that receives emails, with the address of a channel that Ann got. */
async function channelWorld(t: TestContext, authority?: string) {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  const before = ctx.config.mailIn
  ctx.config.mailIn = { domain, authority, listener: undefined }
  t.after(() => {
    ctx.config.mailIn = before
  })
  const stream_id = await inChannel('Verona & more', [ann, ben])
  const addressFor = async (sender_id?: number) =>
    (await ann.does(operations.getChannelEmail, { path: { stream_id }, ...(sender_id !== undefined && { sender_id }) }))
      .email
  const posts = async (to: string, raw: string) => {
    await storeEmail(
      ctx,
      [await accessMailbox(ctx, to)],
      (async function* () {
        yield raw
      })(),
    )
    const rows = await many<{ id: number; outcome: string | null }>(ctx.db)`
      select id, outcome from incoming_emails where realm_id = ${realmId} order by id`
    for (const { id, outcome } of rows)
      if (outcome === null) await deliverIncoming(ctx, { realm_id: realmId, email_id: id })
    const [last] = await many<{ outcome: string | null }>(ctx.db)`
      select outcome from incoming_emails where realm_id = ${realmId} order by id desc limit 1`
    return last!.outcome
  }
  const newest = async () => {
    const params = { anchor: 'newest' as const, num_before: 1, num_after: 0, apply_markdown: false }
    return (await ann.does(operations.getMessages, params)).messages[0]!
  }
  const address = await addressFor()
  return { ...world, stream_id, address, addressFor, posts, newest }
}

let count = 0

function emailOf(text: string, headers: Record<string, string> = {}): string {
  const all = { From: 'Cy <cy@example.com>', Subject: 'News', 'Message-ID': `<${++count}@channel.test>`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}

test('an email to the address of a channel is posted there by the Email Gateway, under its subject', async (t) => {
  const { address, posts, newest } = await channelWorld(t)
  assert.match(address, /^verona-more\.[a-z2-7]{20,44}@chat\.example\.com$/)
  assert.equal(await posts(address, emailOf('Hello\r\n\r\n-- \r\nCy', { Subject: 'Re: AW: Fwd: News' })), 'sent')
  const message = await newest()
  assert.deepEqual([message.display_recipient, message.subject], ['Verona & more', 'News'])
  assert.deepEqual([message.sender_full_name, message.client], ['Email Gateway', 'Email'])
  assert.equal(message.content, 'Hello')
})

test('options of the address show the sender and keep what is cut', async (t) => {
  const { address, posts, newest } = await channelWorld(t)
  const to = address.replace('@', '.show-sender+include-footer.include-quotes.unknown@')
  assert.equal(await posts(to, emailOf('Hello\r\n> old\r\n-- \r\nCy')), 'sent')
  assert.equal((await newest()).content, 'From: `Cy <cy@example.com>` (not verified)\n\nHello\n> old\n--\nCy')
})

test('anyone posts through a bot, but as a person only that person', async (t) => {
  const { ann, addressFor, posts, newest } = await channelWorld(t)
  const own = await addressFor(ann.id)
  assert.equal(await posts(own, emailOf('I am Ann')), 'dropped')
  assert.equal(await posts(own, emailOf('It is me', { From: ann.credentials.email })), 'sent')
  const { sender_id, content } = await newest()
  assert.deepEqual([sender_id, content], [ann.id, 'It is me\n\n*(via email, not verified)*'])
})

test('with MAIL_IN_AUTH a person is who the mail server has confirmed', async (t) => {
  const { ann, addressFor, posts, newest } = await channelWorld(t, 'mx.test')
  const own = await addressFor(ann.id)
  const From = ann.credentials.email
  assert.equal(await posts(own, emailOf('I am Ann', { From })), 'dropped')
  const confirmed = { From, 'Authentication-Results': `mx.test; dmarc=pass header.from=${From.split('@')[1]}` }
  assert.equal(await posts(own, emailOf('It is me', confirmed)), 'sent')
  assert.equal((await newest()).content, 'It is me')
})

test('the address works while the user who got it may post in the channel', async (t) => {
  const { ann, ctx, realmId, address, posts } = await channelWorld(t)
  await leaves(ann, 'Verona & more')
  assert.equal(await posts(address, emailOf('x')), 'sent')
  await ctx.db.updateTable('channels').set({ invite_only: true }).where('realm_id', '=', realmId).execute()
  ctx.realms.drop(realmId)
  assert.equal(await posts(address, emailOf('x')), 'refused')
  await ann.does(operations.regenerateApiKey)
  await assert.rejects(accessMailbox(ctx, address), /no such address/)
})

test('an archived channel takes no email', async (t) => {
  const { olga, ctx, stream_id, address } = await channelWorld(t)
  await olga.does(operations.archiveChannel, { path: { stream_id } })
  await assert.rejects(accessMailbox(ctx, address), /The channel is deactivated/)
})

test('alerts and mailing lists are posted, automatic answers and emails of this server are not', async (t) => {
  const { address, posts } = await channelWorld(t)
  const posted: Record<string, string>[] = [
    { 'Auto-Submitted': 'auto-generated' },
    { Precedence: 'list' },
    { Precedence: 'bulk' },
  ]
  for (const headers of posted) assert.equal(await posts(address, emailOf('x', headers)), 'sent')
  const dropped: Record<string, string>[] = [
    { 'Auto-Submitted': 'auto-replied' },
    { 'X-Parley': 'sent', Precedence: 'bulk' },
  ]
  for (const headers of dropped) assert.equal(await posts(address, emailOf('x', headers)), 'dropped')
})

test('emails to a channel mention nobody at large', async (t) => {
  const { address, posts, newest } = await channelWorld(t)
  await posts(address, emailOf('@**all** read'))
  assert.equal((await newest()).content, '**all** read')
})

test('a channel takes 50 emails a minute', async (t) => {
  const { ctx, ann, realmId, stream_id, address } = await channelWorld(t)
  await sql`
    insert into incoming_emails (realm_id, user_id, channel_id, creator_id, digest, path, outcome)
    select ${realmId}, ${ann.id}, ${stream_id}, ${ann.id}, decode(lpad(to_hex(n), 8, '0'), 'hex'), 'x', 'sent'
      from generate_series(1, 50) n`.execute(ctx.db)
  await assert.rejects(accessMailbox(ctx, address), /Too many emails/)
})

test('a subject becomes a topic', () => {
  assert.equal(topicOf('Re: [2] Odp: Plan'), '[2] Odp: Plan')
  assert.equal(topicOf('RE: Aw : 回复：Plan'), 'Plan')
  assert.equal(topicOf(''), 'Email without a subject')
  assert.equal(topicOf('Re:'), 'Email without a subject')
  assert.equal(topicOf(`${'x'.repeat(80)}`).length, 60)
  assert.equal(topicOf('React: a library'), 'React: a library')
})
