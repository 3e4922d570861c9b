import type { FastifyBaseLogger } from 'fastify'

const intervalMilliseconds = 15_000
/** Health checks may come every second from several places. */
const freshMilliseconds = 5000

/** Returns what is wrong, as a sentence; undefined if everything is fine. */
export type Check = () => Promise<string | undefined>

/** Conditions that do not stop the server and that its operator has to know: in the log and in the health check. */
export class Warnings {
  readonly #checks: Check[]
  readonly #log: FastifyBaseLogger
  #current: string[] = []
  #checkedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(checks: Check[], log: FastifyBaseLogger) {
    this.#checks = checks
    this.#log = log
  }

  start(): void {
    this.#timer = setInterval(() => void this.read(), intervalMilliseconds).unref()
    void this.read()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async read(): Promise<string[]> {
    if (performance.now() - this.#checkedAt < freshMilliseconds) return this.#current
    this.#checkedAt = performance.now()
    const found = await Promise.all(this.#checks.map((check) => check().catch(() => undefined)))
    const warnings = found.filter((warning) => warning !== undefined)
    for (const warning of warnings) if (!this.#current.includes(warning)) this.#log.warn(warning)
    this.#current = warnings
    return warnings
  }
}
