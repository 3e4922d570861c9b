import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cleanUp, type Scope } from '../platform/postgres/test-support.ts'

const { PARLEY_DIST } = process.env
const cli = PARLEY_DIST
  ? join(PARLEY_DIST, 'bin/parley.cjs')
  : fileURLToPath(new URL('../cli/main.ts', import.meta.url))

/** Parley in a separate process. */
export interface Program {
  /** The URL that it prints at start. */
  url: string
  pid: number
  /** What it has printed so far. */
  output(): string
  /** Null while it runs. */
  exitCode(): number | null
  signal(name: NodeJS.Signals): void
  /** Its exit code, and the milliseconds it took from now. */
  ended(): Promise<{ code: number | null; after: number }>
}

export interface Running {
  env?: Record<string, string>
  /** Runs as this OS user; needs root. */
  as?: string
  /** Standard input. */
  input?: string
}

function launch(
  t: Scope,
  args: string[],
  { env = {}, as, input = '' }: Running,
): { child: ChildProcess; output: () => string } {
  const step = as ? ['setpriv', `--reuid=${as}`, '--regid=nogroup', '--clear-groups'] : []
  const [program, ...rest] = [...step, process.execPath, cli, ...args] as [string, ...string[]]
  const { PATH = '' } = process.env
  const child = spawn(program, rest, {
    env: { PATH, PORT: '0', PROCESSES: '1', WEB_CLIENT: 'off', STOP_GRACE: '0', ...env },
    stdio: 'pipe',
  })
  child.stdin!.on('error', () => {}) // it may exit without reading
  child.stdin!.end(input)
  let text = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (text += chunk))
  cleanUp(t, async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return { child, output: () => text }
}

/** Runs a command until it exits. */
export async function runParley(t: Scope, args: string[], running: Running = {}) {
  const { child, output } = launch(t, args, running)
  const [code] = await once(child, 'close')
  return { code: code as number | null, output: output() }
}

/** Starts a server and waits until it prints its URL. */
export function startParley(t: Scope, args: string[], running: Running = {}): Promise<Program> {
  return startProgram(t, ['serve', ...args], running, /running at (http\S+)\n.*Stop:/s)
}

/** Starts a worker with health checks and waits until it prints their URL. */
export function startWorker(t: Scope, running: Running = {}): Promise<Program> {
  return startProgram(t, ['worker'], running, /Health: (http\S+)\/health,.*Stop:/s)
}

/** Starts `parley backup --follow` and waits until it follows. */
export function startFollowing(t: Scope, folder: string, running: Running = {}): Promise<Program> {
  return startProgram(t, ['backup', folder, '--follow'], running, /Following the database into (\S+)\./)
}

async function startProgram(t: Scope, args: string[], running: Running, where: RegExp): Promise<Program> {
  const { child, output } = launch(t, args, running)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on('data', () => {
      const found = output().match(where)?.[1]
      if (found) resolve(found)
    })
    child.once('close', () => reject(new Error(`parley ended: ${output()}`)))
  })
  return {
    url,
    pid: child.pid!,
    output,
    exitCode: () => child.exitCode,
    signal: (name) => void child.kill(name),
    async ended() {
      const since = performance.now()
      const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
      return { code, after: performance.now() - since }
    },
  }
}
