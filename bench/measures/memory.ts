import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf, proportionalBytes, start } from '../lib/processes.ts'
import type { Row } from '../lib/statistics.ts'

/** The demo server with its embedded PostgreSQL, freshly started and idle: the memory of both together. */
export async function idleMemory(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-idle-'))
  const started = performance.now()
  const server = await start(join(import.meta.dirname, '../../packages/server/src/cli/main.ts'), ['serve', '--demo'], {
    DATA_DIR: folder,
    PORT: '0',
  })
  const coldStart = (performance.now() - started) / 1000
  await sleep(15_000)
  const total = familyOf(server.pid).reduce((sum, pid) => sum + proportionalBytes(pid), 0)
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  return [
    {
      measure: 'idle memory, server and embedded PostgreSQL',
      subject: `${Math.round(total / 1e6)} MB`,
      reference: '',
      ratio: '',
      goal: '≤ 300 MB',
    },
    { measure: 'cold start from nothing', subject: `${coldStart.toFixed(1)} s`, reference: '', ratio: '', goal: '' },
  ]
}

function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)]
}
