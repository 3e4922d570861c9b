import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { many } from '../../platform/db/query.ts'
import { newWorld } from '../../testing/world.ts'
import { listenForMail } from './mail-listener.ts'
import { today, writeReplyAddress } from './reply-address.ts'

const domain = 'chat.example.com'

/** A world with a listener, and a conversation with it. */
async function mailWorld(t: TestContext, protocol: 'lmtp' | 'smtp' = 'lmtp') {
  const world = await newWorld()
  const { ann, ctx, realmId } = world
  const { mailIn } = ctx.config
  const listener = { protocol, host: '127.0.0.1', port: 0 } as const
  ctx.config.mailIn = { domain, authority: undefined, listener }
  const listening = await listenForMail(ctx, listener)
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await listening.close()
    ctx.config.mailIn = mailIn
  })
  const own = ctx.db.selectFrom('users').select('api_key_hash').where('id', '=', ann.id)
  const { api_key_hash } = await own.executeTakeFirstOrThrow()
  const addressOf = (messageId: number) => {
    const address = { realmId, userId: ann.id, messageId, day: today() }
    return `${writeReplyAddress(ctx.vault, address, api_key_hash)}@${domain}`
  }
  const messageId = await ann.sends({ to: [ann] })
  const stored = () => many<{ path: string; message_id: number }>(ctx.db)`
    select path, message_id from incoming_emails where realm_id = ${realmId} order by id`
  return {
    ...world,
    open: () => converse(sockets, listening.port),
    address: addressOf(messageId),
    addressOf,
    messageId,
    stored,
  }
}

async function converse(sockets: Socket[], port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  /** The last line of an answer. */
  const hears = async (): Promise<string> => {
    const { value = 'closed' } = await lines.next()
    return /^\d{3}-/.test(value) ? hears() : value
  }
  await hears()
  const says = (line: string) => {
    socket.write(`${line}\r\n`)
    return hears()
  }
  return { socket, says, hears }
}

const email = 'From: x@y\r\nMessage-ID: <1@test>\r\n\r\n.. dots\r\nhello\r\n.'

test('an email is confirmed for each recipient, and is stored by then', async (t) => {
  const { open, address, addressOf, messageId, stored, ctx } = await mailWorld(t)
  const { says, hears } = await open()
  assert.match(await says('LHLO mx.test'), /^250 /)
  assert.match(await says('MAIL FROM:<ann@example.com>'), /^250 /)
  assert.match(await says(`RCPT TO:<${address}>`), /^250 /)
  assert.match(await says(`RCPT TO:<${addressOf(messageId + 1)}>`), /^250 /)
  assert.match(await says('DATA'), /^354 /)
  assert.match(await says(email), /^250 /)
  const rows = await stored()
  assert.match(await hears(), /^250 /)
  assert.equal(rows.length, 2)
  const file = await ctx.files.open(rows[0]!.path)
  assert.equal((await file!.read().toArray()).join(''), 'From: x@y\r\nMessage-ID: <1@test>\r\n\r\n. dots\r\nhello\r\n')
})

test('unknown addresses, bounces and relaying are refused at once, for good', async (t) => {
  const { open, address, stored } = await mailWorld(t)
  const { says } = await open()
  await says('LHLO mx.test')
  await says('MAIL FROM:<>')
  assert.match(await says(`RCPT TO:<${address}>`), /^550 5\.7\.1 /)
  await says('RSET')
  await says('MAIL FROM:<ann@example.com>')
  for (const to of ['r.aaaa@chat.example.com', 'someone@example.com', 'postmaster@chat.example.com'])
    assert.match(await says(`RCPT TO:<${to}>`), /^550 5\.1\.1 /)
  assert.match(await says('RCPT TO:<noreply@chat.example.com>'), /^550 5\.7\.1 Nobody reads/)
  assert.match(await says('VRFY ann'), /^252 /)
  assert.match(await says('AUTH PLAIN'), /^5/)
  assert.match(await says(`RCPT TO:<${address}>`), /^250 /)
  assert.deepEqual(await stored(), [])
})

test('an email that is too large is refused, and the connection can be used on', async (t) => {
  const { open, address, stored } = await mailWorld(t)
  const { socket, says, hears } = await open()
  await says('LHLO mx.test')
  await says('MAIL FROM:<ann@example.com>')
  await says(`RCPT TO:<${address}>`)
  await says('DATA')
  const part = `${'x'.repeat(998)}\r\n`.repeat(1000)
  for (let count = 0; count < 27; count++) if (!socket.write(part)) await once(socket, 'drain')
  socket.write('.\r\n')
  assert.match(await hears(), /^552 /)
  assert.match(await says('MAIL FROM:<ann@example.com>'), /^250 /)
  assert.deepEqual(await stored(), [])
})

test('without the database an email is to be tried again later', async (t) => {
  const { open, address, ctx } = await mailWorld(t)
  const { says } = await open()
  await says('LHLO mx.test')
  await says('MAIL FROM:<ann@example.com>')
  await says(`RCPT TO:<${address}>`)
  const { put } = ctx.files
  ctx.files.put = () => Promise.reject(new Error('disk full'))
  t.after(() => {
    ctx.files.put = put
  })
  await says('DATA')
  assert.match(await says(email), /^451 4\.3\.0 /)
})

test('an email that ends in the middle is not stored', async (t) => {
  const { open, address, stored } = await mailWorld(t)
  const { socket, says } = await open()
  await says('LHLO mx.test')
  await says('MAIL FROM:<ann@example.com>')
  await says(`RCPT TO:<${address}>`)
  await says('DATA')
  socket.end('From: x@y\r\n\r\nhalf an ema')
  await once(socket, 'close')
  const { says: again } = await open()
  await again('LHLO mx.test')
  assert.deepEqual(await stored(), [])
})

test('it also speaks SMTP', async (t) => {
  const { open, address, stored } = await mailWorld(t, 'smtp')
  const { says } = await open()
  await says('EHLO mx.test')
  await says('MAIL FROM:<ann@example.com>')
  await says(`RCPT TO:<${address}>`)
  await says('DATA')
  assert.match(await says(email), /^250 /)
  assert.equal((await stored()).length, 1)
})
