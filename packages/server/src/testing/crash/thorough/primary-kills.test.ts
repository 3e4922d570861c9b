import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tempFolder } from '../../../platform/postgres/test-support.ts'
import { until } from '../../until.ts'
import { acknowledgedIn, storm } from '../harness.ts'
import { missingPrograms, PatroniCluster } from '../patroni-cluster.ts'
import { brokenPromises, type CrashRecord } from '../record.ts'
import { withPrograms } from '../servers.ts'

/** A kill takes about half a minute: CI uses none, `.ci/thorough` 20. */
const kills = Number(process.env.PRIMARY_KILLS ?? 3)
const missing = kills > 0 ? missingPrograms() : []
if (missing.length > 0)
  console.error(`SKIPPED: the test of Patroni needs the packages patroni, etcd-server and postgresql-15 (${missing}).`)

interface Gap {
  /** From the kill until Patroni has another primary. */
  election: number
  /** From then until a message is acknowledged and all queues have delivered it. */
  healing: number
  /** Queues that the server ended because they had delivered events that no longer exist. */
  ended: number
}

/** Waits until a message that is acknowledged from now on has reached every queue. */
async function untilDelivered(record: CrashRecord): Promise<void> {
  const before = acknowledgedIn(record)
  await until(() => acknowledgedIn(record) > before, 60)
  const newest = Math.max(...[...record.acknowledged.values()].map((sends) => sends.at(-1)?.id ?? 0))
  const current = () => [...record.received].filter(([queue]) => !record.ended.has(queue))
  const hasArrived = () => current().every(([, events]) => (events.at(-1)?.messageId ?? 0) >= newest)
  await until(hasArrived, 60)
}

/** Whether only PostgreSQL is killed, and not the whole machine. */
const isCrash = (round: number) => round % 2 === 0

/** Kills PostgreSQL on the primary, every other time with its whole machine, and waits until all is well again. */
async function killPrimary(cluster: PatroniCluster, round: number, record: CrashRecord): Promise<Gap> {
  const [victim, standby] = [await cluster.primary(), await cluster.synchronous()]
  const [killed, ended] = [Date.now(), record.ended.size]
  if (isCrash(round)) victim.killPostgres()
  else await victim.killAll()
  await until(() => standby.is('primary'), 90)
  const elected = Date.now()
  await untilDelivered(record)
  const gap = { election: elected - killed, healing: Date.now() - elected, ended: record.ended.size - ended }
  victim.restart()
  await until(() => victim.is('synchronous'), 120)
  return gap
}

test('killing the primary of a Patroni cluster loses and duplicates nothing, and the server recovers', {
  skip: kills === 0 || (missing.length > 0 && `${missing} is not installed`),
}, async (t) => {
  const cluster = await PatroniCluster.start(t)
  const gaps: Gap[] = []
  const record = await withPrograms(cluster.url, tempFolder(t), async (program) =>
    storm({
      programs: [await program('serve')],
      databaseUrl: cluster.url,
      rounds: kills,
      strike: async (round, seen) => {
        gaps.push(await killPrimary(cluster, round, seen))
        t.diagnostic(`kill ${round + 1}: ${JSON.stringify(gaps.at(-1))} ms`)
      },
    }),
  )
  t.diagnostic(`${acknowledgedIn(record)} acknowledged, ${record.unknown.length} not, ${record.received.size} queues`)

  // Queues may end: children that outlive the postmaster could have shown commits that no standby has.
  assert.deepEqual(brokenPromises(record, true), [])
  const isTooMuch = ({ healing, ended }: Gap, round: number) => healing > 10_000 || (ended > 0 && !isCrash(round))
  assert.deepEqual(gaps.filter(isTooMuch), [])
})
