import { randomBytes, timingSafeEqual } from 'node:crypto'

const header = 'x-parley-tool'
/** Known to this process only, so that no client can send it. */
const key = randomBytes(32).toString('hex')

/** The header that marks a request which a tool of an agent makes within this process. */
export const toolCall = { [header]: key }

export function isToolCall(headers: Record<string, string | string[] | undefined>): boolean {
  const sent = headers[header]
  return typeof sent === 'string' && sent.length === key.length && timingSafeEqual(Buffer.from(sent), Buffer.from(key))
}
