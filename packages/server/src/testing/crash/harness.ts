import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { roles } from '@parley/api/common'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { readConfig } from '../../config.ts'
import { transactIn } from '../../context.ts'
import { createRealm } from '../../identity/accounts/create-realm.ts'
import { createUser } from '../../people/users/actions.ts'
import { until } from '../until.ts'
import { type Account, Connection, listenUntil, readHistory, sendUntil } from './clients.ts'
import type { Program } from './crashing-program.ts'
import type { CrashRecord } from './record.ts'

export const secretKey = 'a secret only for the crash tests of Parley'
const channel = 'storm'
const acknowledgedARound = 30

export interface Storm {
  programs: Pick<Program, 'port'>[]
  databaseUrl: string
  /** Called once per round, with the servers under load: kills something and restarts it. */
  strike(round: number, record: CrashRecord): Promise<void>
  rounds: number
}

/** Runs several clients while processes are killed; returns what every client saw. */
export async function storm({ programs, databaseUrl, strike, rounds }: Storm): Promise<CrashRecord> {
  const accounts = await createAccounts(databaseUrl)
  const ports = programs.map(({ port }) => port)
  await joinChannel(ports, accounts)
  const record = newRecord()
  let stopped = false
  let last: number | undefined
  const isLast = (id: number) => last !== undefined && id >= last
  const listening = accounts.map((account) => listenUntil(isLast, ports, account, record))
  await until(() => record.received.size === accounts.length) // each has a queue
  const sending = accounts.map((account) => sendUntil(() => stopped, ports, account, channel, record))
  for (let round = 0; round < rounds; round++) {
    const enough = acknowledgedIn(record) + acknowledgedARound
    await sleep(200 + Math.random() * 800)
    // Gives a slow machine time to store something that could be lost.
    while (acknowledgedIn(record) < enough) await sleep(20)
    await strike(round, record)
  }
  stopped = true
  await Promise.all(sending)
  last = await lastWord(ports, accounts[0]!, record)
  await Promise.all(listening)
  const history = await readHistory(ports, accounts[0]!, channel)
  // A busy server may store a send after its client has given up, even after the last word. No listener waits for that.
  const counts = (id: number, content: string) => id <= last! && isOurs(content, accounts)
  record.stored = history.map(({ id, content }) => ({ id, content })).filter(({ id, content }) => counts(id, content))
  record.reactions.stored = history.filter(({ reactions }) => reactions.length > 0).map(({ id }) => id)
  for (const [queue, events] of record.received)
    record.received.set(
      queue,
      events.filter(({ messageId, content }) => counts(messageId, content)),
    )
  return record
}

export function newRecord(): CrashRecord {
  const reactions = { acknowledged: [], received: new Map(), stored: [] }
  return {
    acknowledged: new Map(),
    unknown: [],
    failures: [],
    received: new Map(),
    ended: new Set(),
    stored: [],
    reactions,
  }
}

export function acknowledgedIn({ acknowledged }: CrashRecord): number {
  return [...acknowledged.values()].flat().length
}

/** A message after all others, so that listeners know when they have received everything. */
async function lastWord(ports: number[], account: Account, record: CrashRecord): Promise<number> {
  let sends = 0
  const isSent = () => sends++ > 0
  await sendUntil(isSent, ports, { ...account, name: `${account.name} at last` }, channel, record)
  const [sent] = record.acknowledged.get(`${account.name} at last`)!
  if (!sent) throw new Error('the last message was not acknowledged')
  return sent.id
}

/** The channel also contains notices of the server; the guarantees are about what clients sent. */
function isOurs(content: string, accounts: Account[]): boolean {
  return accounts.some(({ name }) => content.startsWith(`${name} `))
}

/** An organization of four users, owned by Ann. */
export async function createAccounts(databaseUrl: string): Promise<Account[]> {
  const ctx = await createContext(readConfig('production', { SECRET_KEY: secretKey, LOG_LEVEL: 'fatal' }), databaseUrl)
  const realmId = await createRealm(ctx, { string_id: 'storm', host: null, name: 'Storm' })
  const { realm } = await ctx.realms.get(realmId)
  const accounts: Account[] = []
  for (const name of ['ann', 'ben', 'cleo', 'dora']) {
    const role = name === 'ann' ? roles.owner : roles.member
    const email = `${name}@storm.test`
    const user = await transactIn(ctx, realmId, (tx) =>
      createUser(tx, ctx.vault, realm, { email, full_name: name, role }),
    )
    const { api_key_sealed } = await ctx.db
      .selectFrom('users')
      .select('api_key_sealed')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    const credentials = `${email}:${ctx.vault.open(api_key_sealed)}`
    accounts.push({ name, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` })
  }
  await closeContext(ctx)
  return accounts
}

async function joinChannel(ports: number[], accounts: Account[]): Promise<void> {
  for (const account of accounts) {
    const answer = await new Connection(ports, account).ask(subscriptions.subscribe, {
      subscriptions: [{ name: channel }],
    })
    if (answer?.result !== 'success') throw new Error(`cannot subscribe: ${JSON.stringify(answer)}`)
  }
}

/** Kills the embedded PostgreSQL of a data folder, including its shared memory. */
export async function killPostgres(dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')
  process.kill(Number(text.split('\n')[0]), 'SIGKILL')
}
