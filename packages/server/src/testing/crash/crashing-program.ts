import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const cli = join(import.meta.dirname, '../../cli/main.ts')

export async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Parley in a separate process, which can be killed and restarted at the same URL. */
export class Program {
  readonly port: number
  readonly #env: Record<string, string>
  readonly #command: 'serve' | 'worker'
  #child: ChildProcess | undefined

  constructor(port: number, env: Record<string, string>, command: 'serve' | 'worker' = 'serve') {
    this.port = port
    this.#env = env
    this.#command = command
  }

  get exitCode(): number | null | undefined {
    return this.#child?.exitCode
  }

  async start(): Promise<void> {
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      PROCESSES: '1',
      WEB_CLIENT: 'off',
      STOP_GRACE: '0',
      ...this.#env,
      [this.#command === 'serve' ? 'PORT' : 'WORKER_PORT']: String(this.port),
      RATE_LIMIT: '0',
      LOG_LEVEL: 'fatal',
    }
    this.#child = spawn(process.execPath, [cli, this.#command], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    await this.ready()
  }

  async ready(): Promise<void> {
    for (let attempt = 0; attempt < 1200; attempt++) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/health/ready`).catch(() => undefined)
      if (answer?.status === 200) return
      if (this.#child?.exitCode != null) throw new Error(`the server ended with ${this.#child.exitCode}`)
      await sleep(50)
    }
    throw new Error('the server did not become ready within a minute')
  }

  /** Like a power cut: no signal handler runs. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stops the process without ending it, like a long garbage collection or a virtual machine that is moved. */
  pause(): void {
    this.#child!.kill('SIGSTOP')
  }

  resume(): void {
    this.#child!.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}
