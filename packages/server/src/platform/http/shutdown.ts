import type { IncomingMessage, Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bag } from '../bag.ts'
import { ApiError } from './api-error.ts'
import type { TimedResponse } from './timed-response.ts'

const divertMilliseconds = 1000

/** Not 503, which also says that the database is away: a proxy should send the request to another server. */
export class ServerStopping extends ApiError {
  constructor() {
    super('This server is stopping; try again in a moment.', 'SERVICE_UNAVAILABLE', {
      status: 502,
      headers: { 'Retry-After': '1' },
    })
  }
}

/**
 * Lets load balancers notice that a server will stop before it does: it reports that it is not ready, and closes each
 * connection after the next response, so that nobody sends a request on a connection that is being closed.
 *
 * A proxy that checks no health (nginx) would send requests until the port is closed, and those that wait to be accepted
 * at that moment are lost. So before that, reads fail: the proxy repeats them elsewhere and avoids this server.
 */
export class Shutdown {
  graceMilliseconds: number
  readonly #open = new Bag<TimedResponse>()
  #isStopping = false
  #divertsReads = false

  constructor(graceMilliseconds: number) {
    this.graceMilliseconds = graceMilliseconds
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  get divertsReads(): boolean {
    return this.#divertsReads
  }

  /** `closed` is called after each response: a second listener for this event would cost as much as this one. */
  watch(server: Server, closed: (response: TimedResponse) => void): void {
    const open = this.#open
    const forget = function (this: TimedResponse) {
      open.remove(this)
      closed(this)
    }
    server.prependListener('request', (_request: IncomingMessage, response: TimedResponse) => {
      if (this.#isStopping) response.shouldKeepAlive = false
      open.add(response)
      response.on('close', forget)
    })
  }

  /** Announces the stop, and resolves when it is time to refuse connections. */
  async announce(): Promise<void> {
    this.#isStopping = true
    for (const response of this.#open) response.shouldKeepAlive = false
    if (this.graceMilliseconds === 0) return
    const diverting = Math.min(divertMilliseconds, this.graceMilliseconds / 4)
    await sleep(this.graceMilliseconds - diverting)
    this.#divertsReads = true
    await sleep(diverting)
  }
}
