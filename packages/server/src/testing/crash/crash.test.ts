import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Program } from './crashing-program.ts'
import { acknowledgedIn, killPostgres, storm } from './harness.ts'
import { brokenPromises, type CrashRecord } from './record.ts'
import { withPostgres } from './servers.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 2)

/** Starts this many servers on one PostgreSQL, for the duration of a test. */
async function withServers<T>(
  count: number,
  work: (programs: Program[], dataDir: string, databaseUrl: string) => Promise<T>,
): Promise<T> {
  return withPostgres(async ({ dataDir, url, program }) => {
    const programs: Program[] = []
    for (let n = 0; n < count; n++) programs.push(await program('serve'))
    return work(programs, dataDir, url)
  })
}

function assertKept(record: CrashRecord): void {
  assert.deepEqual(brokenPromises(record), [])
  const acknowledged = acknowledgedIn(record)
  assert.ok(acknowledged > 50, `only ${acknowledged} sends were acknowledged: too few to prove anything`)
}

test('killing the server at random moments neither loses, duplicates nor reorders messages', async () => {
  const record = await withServers(1, ([server], _dataDir, databaseUrl) =>
    storm({
      programs: [server!],
      databaseUrl,
      rounds,
      strike: async () => {
        await server!.kill()
        await server!.start()
      },
    }),
  )
  assertKept(record)
})

test('killing PostgreSQL at random moments neither loses, duplicates nor reorders messages', async () => {
  const record = await withServers(1, ([server], dataDir, databaseUrl) =>
    storm({
      programs: [server!],
      databaseUrl,
      rounds,
      strike: async () => {
        await killPostgres(dataDir)
        await sleep(500)
        await server!.ready()
      },
    }),
  )
  assertKept(record)
})

test('with two servers on one database, killing either or PostgreSQL neither loses, duplicates nor reorders messages', async () => {
  const record = await withServers(2, (servers, dataDir, databaseUrl) =>
    storm({
      programs: servers,
      databaseUrl,
      rounds,
      strike: async (round) => {
        const victim = servers[round % 3]
        if (!victim) await killPostgres(dataDir)
        else {
          await victim.kill()
          await victim.start()
        }
        for (const server of servers) await server.ready()
      },
    }),
  )
  assertKept(record)
})

test('the harness notices when a stored message and its event disappear', async () => {
  const record = await withServers(1, ([server], _dataDir, databaseUrl) =>
    storm({
      programs: [server!],
      databaseUrl,
      rounds: 2,
      strike: async () => {
        await server!.kill()
        await loseNewestMessage(databaseUrl)
        await server!.start()
      },
    }),
  )
  assert.notDeepEqual(brokenPromises(record), [])
})

/** What a server that responds before it has stored would do. */
async function loseNewestMessage(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('delete from messages where id in (select id from messages order by id desc offset 5 limit 3)')
  await client.end()
}
