import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const process = randomBytes(6).toString('base64url')
let requests = 0

/** Ids that are unique over all processes, or those of a trusted proxy. */
export function requestIds(trustsProxy: boolean): (request: IncomingMessage) => string {
  return ({ headers }) => {
    const given = trustsProxy ? headers['x-request-id'] : undefined
    return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : `${process}-${(++requests).toString(36)}`
  }
}
