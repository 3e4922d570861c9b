import type { Values } from './request.ts'

/** Messages by letter, or bodies with more fields than the message. */
export type Refusals = Record<string, string | Values>

const unauthorized = (msg: string) => ({ msg, code: 'UNAUTHORIZED' })
const notAllowed = (msg: string) => ({ msg, code: 'UNAUTHORIZED_PRINCIPAL' })

/** The refusals that rows have in common, as whole bodies. */
const common: Refusals = {
  '1': unauthorized('Missing authorization header'),
  K: unauthorized('Invalid API key'),
  D: unauthorized('Account is deactivated'),
  W: unauthorized('This API is not available to incoming webhook bots.'),
  M: notAllowed('Must be a moderator'),
  U: notAllowed('Must be an organization administrator'),
  O: notAllowed('Must be an organization owner'),
  G: 'Not allowed for guest users',
  T: 'This endpoint does not accept bot requests.',
  P: 'Insufficient permission',
}

/** The letter of the refusal with exactly this body. */
export function refusalIn(body: string, own: Refusals = {}): string | undefined {
  return Object.entries({ ...common, ...own }).find(([, refusal]) => bodyOf(refusal) === body)?.[0]
}

function bodyOf(refusal: string | Values): string {
  const { msg, code = 'BAD_REQUEST', ...more } = typeof refusal === 'string' ? { msg: refusal } : refusal
  return JSON.stringify({ result: 'error', msg, code, ...more })
}
