import type { Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Lets load balancers notice that a server will stop before it does: it reports that it is not ready, and closes each
 * connection after the next response, so that nobody sends a request on a connection that is being closed.
 */
export class Shutdown {
  graceMilliseconds: number
  readonly #open = new Set<ServerResponse>()
  #isStopping = false

  constructor(graceMilliseconds: number) {
    this.graceMilliseconds = graceMilliseconds
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  watch(server: Server): void {
    server.prependListener('request', (_request, response) => {
      if (this.#isStopping) response.shouldKeepAlive = false
      this.#open.add(response)
      response.once('close', () => this.#open.delete(response))
    })
  }

  /** Announces the stop, and resolves when it is time to refuse connections. */
  async announce(): Promise<void> {
    this.#isStopping = true
    for (const response of this.#open) response.shouldKeepAlive = false
    if (this.graceMilliseconds > 0) await sleep(this.graceMilliseconds)
  }
}
