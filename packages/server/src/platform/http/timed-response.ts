import { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Placed } from '../bag.ts'

/** What the metrics and the log need to know about a response. A hook of the framework for this costs several times as much. */
export class TimedResponse extends ServerResponse implements Placed {
  readonly startedAt = performance.now()
  /** The operation that was requested, once that is known. */
  operation: string | undefined = undefined
  /** Absent if the framework did not see the request. */
  reply: FastifyReply | undefined = undefined
  /** Among the responses that are not finished yet: see `Shutdown`. */
  place = 0
}
