import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf, proportionalBytes, runSeconds, start } from '../lib/processes.ts'
import type { Row } from '../lib/statistics.ts'

const idleSeconds = 60

/** The demo server with its embedded PostgreSQL, freshly started and idle: memory and CPU time of both together. */
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
  const before = runSeconds(familyOf(server.pid))
  await sleep(idleSeconds * 1000)
  const share = (runSeconds(familyOf(server.pid)) - before) / idleSeconds
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  return [
    {
      measure: 'idle memory, server and embedded PostgreSQL',
      subject: `${Math.round(total / 1e6)} MB`,
      reference: '',
      ratio: '',
      goal: '≤ 200 MB',
    },
    {
      measure: 'idle CPU, server and embedded PostgreSQL',
      subject: `${share.toFixed(4)} of a core`,
      reference: '',
      ratio: '',
      goal: '≤ 0.003 of a core',
    },
    { measure: 'cold start from nothing', subject: `${coldStart.toFixed(1)} s`, reference: '', ratio: '', goal: '' },
  ]
}

function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)]
}
