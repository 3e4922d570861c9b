import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanUp, isAlive, isRoot, query, type Scope, tempFolder } from '../../platform/postgres/test-support.ts'
import { until } from '../until.ts'
import { freePort } from './crashing-program.ts'

const example = join(import.meta.dirname, '../../../../../deploy/patroni.yml')
const password = 'change-me' // as in the example

/** Which of the programs a Patroni cluster needs are missing. */
export function missingPrograms(): string[] {
  return ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/lib/postgresql/15/bin/postgres'].filter(
    (path) => !existsSync(path),
  )
}

/** Runs as an ordinary user, because PostgreSQL refuses root, and ends with this process, even if that is killed. */
function run(folder: string, name: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a')
  const identity = isRoot ? ['--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []
  return spawn('setpriv', [...identity, '--pdeathsig=TERM', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: folder, ...env },
    stdio: ['ignore', log, log],
  })
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** One PostgreSQL and the Patroni that runs it. */
export class PatroniNode {
  readonly name: string
  readonly postgresPort: number
  readonly #folder: string
  readonly #restPort: number
  #patroni: ChildProcess

  private constructor(name: string, folder: string, postgresPort: number, restPort: number) {
    this.name = name
    this.postgresPort = postgresPort
    this.#folder = folder
    this.#restPort = restPort
    this.#patroni = this.#start()
  }

  static async create(folder: string, name: string, etcdPort: number): Promise<PatroniNode> {
    const [postgresPort, restPort] = [await freePort(), await freePort()]
    const text = readFileSync(example, 'utf8')
      .replace('name: db1', `name: ${name}`)
      .replaceAll('127.0.0.1:5432', `127.0.0.1:${postgresPort}`)
      .replaceAll('127.0.0.1:8008', `127.0.0.1:${restPort}`)
      .replace('127.0.0.1:2379', `127.0.0.1:${etcdPort}`)
      .replace('/var/lib/postgresql/15/parley', join(folder, name))
      .replace('/var/run/postgresql', folder)
    writeFileSync(join(folder, `${name}.yml`), text)
    return new PatroniNode(name, folder, postgresPort, restPort)
  }

  #start(): ChildProcess {
    return run(this.#folder, `${this.name}.patroni`, ['/usr/bin/patroni', `${this.name}.yml`])
  }

  /** Whether Patroni says that the node is what is asked for: `primary`, or `synchronous`, a standby commits wait for. */
  async is(role: 'primary' | 'synchronous'): Promise<boolean> {
    const url = `http://127.0.0.1:${this.#restPort}/${role}`
    return fetch(url, { signal: AbortSignal.timeout(2000) }).then(
      ({ status }) => status === 200,
      () => false,
    )
  }

  /** Only PostgreSQL crashes, as when memory is short: its other processes notice and end themselves. */
  killPostgres(): void {
    send('SIGKILL', this.#postgresPids().slice(0, 1))
  }

  /** Like a machine that loses power: all processes stop at the same moment. */
  async killAll(): Promise<void> {
    const pids = [this.#patroni.pid!, ...this.#postgresPids()]
    send('SIGSTOP', pids)
    send('SIGKILL', pids)
    await end(this.#patroni, 'SIGKILL')
  }

  /** The machine comes back. */
  restart(): void {
    if (this.#patroni.signalCode !== null) this.#patroni = this.#start()
  }

  async stop(): Promise<void> {
    await end(this.#patroni, 'SIGTERM') // stops PostgreSQL as well
    this.killPostgres()
  }

  /** The postmaster, before its children. */
  #postgresPids(): number[] {
    const file = join(this.#folder, this.name, 'postmaster.pid')
    const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0
    if (!(pid > 0) || !isAlive(pid)) return []
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return [pid, ...children.split(' ').filter(Boolean).map(Number)]
  }
}

function send(signal: NodeJS.Signals, pids: number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal)
    } catch {
      // it has already ended
    }
}

export class PatroniCluster {
  readonly nodes: PatroniNode[]

  private constructor(nodes: PatroniNode[]) {
    this.nodes = nodes
  }

  /** Two nodes of which one is a synchronous standby, with an empty database for Parley. */
  static async start(t: Scope): Promise<PatroniCluster> {
    const folder = join(tempFolder(t), 'cluster')
    mkdirSync(folder)
    if (isRoot) execFileSync('chown', ['nobody:nogroup', folder])
    const etcdPort = await startEtcd(t, folder)
    const nodes: PatroniNode[] = []
    for (const name of ['db1', 'db2']) {
      const node = await PatroniNode.create(folder, name, etcdPort)
      cleanUp(t, () => node.stop())
      nodes.push(node)
    }
    const cluster = new PatroniCluster(nodes)
    const { postgresPort } = await cluster.primary()
    const admin = `postgres://postgres:${password}@127.0.0.1:${postgresPort}/postgres`
    await query(admin, `create role parley login password '${password}'`)
    await query(admin, `create database parley owner parley encoding 'UTF8' template template0`)
    await cluster.synchronous()
    return cluster
  }

  get url(): string {
    const hosts = this.nodes.map(({ postgresPort }) => `127.0.0.1:${postgresPort}`)
    return `postgres://parley:${password}@${hosts.join()}/parley?target_session_attrs=read-write`
  }

  primary(): Promise<PatroniNode> {
    return this.#find('primary')
  }

  synchronous(): Promise<PatroniNode> {
    return this.#find('synchronous')
  }

  #find(role: 'primary' | 'synchronous'): Promise<PatroniNode> {
    return until(async () => {
      for (const node of this.nodes) if (await node.is(role)) return node
      return undefined
    }, 6000)
  }
}

async function startEtcd(t: Scope, folder: string): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()]
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const args = [
    ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `default=${peerUrl}`],
  ]
  const etcd = run(folder, 'etcd', ['/usr/bin/etcd', ...args], { ETCD_UNSUPPORTED_ARCH: 'arm64' })
  cleanUp(t, () => end(etcd, 'SIGKILL'))
  await until(
    () =>
      fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    45,
  )
  return port
}
