import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as messages from '@parley/api/conversations/messages'
import { subscribe } from '@parley/api/conversations/subscriptions'
import * as bots from '@parley/api/delivery/bots'
import * as accounts from '@parley/api/identity/accounts'
import type { Operation } from '@parley/api/operation'
import * as users from '@parley/api/people/users'
import pg from 'pg'
import { newMailReceiver } from '../../peers/mail-receiver.ts'
import { newReceiver, type Received } from '../../peers/receiver.ts'
import { until } from '../../until.ts'
import { type Account, Connection, sendUntil } from '../clients.ts'
import type { Program } from '../crashing-program.ts'
import { createAccounts, newRecord } from '../harness.ts'
import { withPostgres } from '../servers.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 2)
const mayCallUs = { ALLOW_INTERNAL_WEBHOOKS: '127.0.0.1' }

/** A slow endpoint, so that a server can die while it waits for the response. */
function slowReceiver() {
  return newReceiver((response) => void sleep(Math.random() * 100).then(() => response.end('{}')))
}

async function makeBot(ports: number[], account: Account, payload_url: string): Promise<number> {
  const params = { full_name: 'Echo', short_name: 'echo', bot_type: 3, payload_url }
  const answer = await new Connection(ports, account).ask(bots.createBot, params)
  assert.equal(answer?.result, 'success', JSON.stringify(answer))
  return answer.user_id as number
}

/** Sends to the bot until stopped; `sent` collects the ids of the acknowledged messages. */
async function writeUntil(
  isOver: () => boolean,
  connection: Connection,
  botId: number,
  sent: number[] = [],
): Promise<number[]> {
  while (!isOver()) {
    const answer = await connection.ask(messages.sendMessage, { type: 'direct', to: [botId], content: 'hello' })
    if (answer?.result === 'success') sent.push(answer.id as number)
    await sleep(20)
  }
  return sent
}

/** A process that took a delivery has a minute; this lets the minute pass. */
async function letTheMinutePass(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`update webhook_deliveries set due_at = now() where status = 'sending'`)
  await client.end()
}

/** The ids under which each message was delivered. */
function idsByMessage(requests: Received[]): Map<number, Set<unknown>> {
  const ids = new Map<number, Set<unknown>>()
  for (const { body, headers } of requests) {
    const { id } = JSON.parse(body).message
    ids.set(id, (ids.get(id) ?? new Set()).add(headers['webhook-id']))
  }
  return ids
}

async function assertDelivered(sent: number[], requests: Received[]): Promise<void> {
  await until(() => sent.every((id) => idsByMessage(requests).has(id)))
  const ids = idsByMessage(requests)
  for (const one of ids.values()) assert.equal(one.size, 1, 'a repetition has the id of the first')
  const all = new Set([...ids.values()].flatMap((one) => [...one]))
  assert.equal(all.size, ids.size, 'different deliveries have different ids')
}

test('committed messages are delivered, however often the server is killed before or during delivery', async () => {
  await withPostgres(async ({ url, program }) => {
    const receiver = await slowReceiver()
    const server = await program('serve', mayCallUs)
    const [ann] = await createAccounts(url)
    const botId = await makeBot([server.port], ann!, receiver.url)
    let isOver = false
    const sent: number[] = []
    const writing = writeUntil(() => isOver, new Connection([server.port], ann!), botId, sent)
    for (let round = 0; round < rounds; round++) {
      await until(() => sent.length >= 4 * (round + 1))
      await sleep(Math.random() * 500)
      await server.kill()
      await letTheMinutePass(url)
      await server.start()
    }
    isOver = true
    await writing
    await assertDelivered(sent, receiver.requests)
  })
})

/** Lets an hour pass for what waits. */
async function letAnHourPass(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `update webhook_deliveries set due_at = due_at - interval '1 hour' where status in ('waiting', 'sending')`,
  )
  await client.end()
}

test('a webhook for all messages of a channel misses none, although the server is killed and its endpoint is down for an hour', async () => {
  await withPostgres(async ({ url, program }) => {
    let isDown = true
    const receiver = await newReceiver((response) => void response.writeHead(isDown ? 503 : 200).end('{}'))
    const server = await program('serve', mayCallUs)
    const [ann, ben] = await createAccounts(url)
    const bot_id = await makeBot([server.port], ann!, receiver.url)
    const connection = new Connection([server.port], ann!)
    const subscribed = await connection.ask(subscribe, { subscriptions: [{ name: 'alerts' }], principals: [bot_id] })
    assert.equal(subscribed?.result, 'success', JSON.stringify(subscribed))
    const updateBot = { ...bots.updateBot, path: `/bots/${bot_id}` } as unknown as Operation
    await connection.ask(updateBot, { triggers: ['channel_message'] })
    let isOver = false
    const record = newRecord()
    const writing = sendUntil(() => isOver, [server.port], ben!, 'alerts', record)
    const sent = await until(() => record.acknowledged.get(ben!.name))
    for (let round = 0; round < rounds; round++) {
      await until(() => sent.length >= 20 * (round + 1))
      await until(() => receiver.requests.length > round * 2)
      await server.kill()
      await server.start()
    }
    isOver = true
    await writing
    isDown = false
    await letAnHourPass(url)
    await assertDelivered(
      sent.map(({ id }) => id),
      receiver.requests,
    )
  })
})

test('a server without jobs delivers nothing; a worker delivers its committed messages after its death', async () => {
  await withPostgres(async ({ url, program }) => {
    const receiver = await slowReceiver()
    const server: Program = await program('serve', { ...mayCallUs, JOBS_AT_ONCE: '0' })
    const [ann] = await createAccounts(url)
    const botId = await makeBot([server.port], ann!, receiver.url)
    let writes = 0
    const sent = await writeUntil(() => writes++ === 5, new Connection([server.port], ann!), botId)
    await server.kill()
    assert.deepEqual(receiver.requests, [])

    const worker = await program('worker', mayCallUs)
    await assertDelivered(sent, receiver.requests)
    await worker.stop()
    assert.equal(worker.exitCode, 0)
  })
})

test('an email that a killed worker had locked is sent by another within 30 seconds', async () => {
  await withPostgres(async ({ url, program }) => {
    const receiver = await newMailReceiver()
    receiver.refusals.push(null)
    const env = { SMTP_URL: receiver.url }
    const server = await program('serve', { JOBS_AT_ONCE: '0' })
    const [ann] = await createAccounts(url)
    const victim = await program('worker', env)
    await deactivate(server, ann!, 'ben@storm.test')
    await until(() => receiver.refusals.length === 0)
    await program('worker', env)
    await victim.kill()

    await sleep(15_000) // how long a process must be silent
    const { to } = await until(() => receiver.mail[0])
    assert.match(to, /ben@storm\.test/)
    assert.equal(receiver.mail.length, 1)
  })
})

async function deactivate({ port }: Program, by: Account, email: string): Promise<void> {
  const connection = new Connection([port], by)
  const found = await connection.ask({ ...users.getUserByEmail, path: `/users/${email}` }, {})
  const { user_id } = found!.user as { user_id: number }
  const path = `/users/${user_id}`
  const answer = await connection.ask({ ...accounts.deactivateUser, path }, { deactivation_notification_comment: '' })
  assert.equal(answer?.result, 'success', JSON.stringify(answer))
}
