import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashKey } from '../../platform/secrets.ts'

/** Browsers accept the prefix only from HTTPS, for this host alone. Plain HTTP, as in the demo, cannot use it. */
const secureName = '__Host-parley'
const plainName = 'parley'

/**
 * A second cookie with the id of the user, which scripts can read: the web client shows what it stored only to the same
 * user. It proves nothing. Empty on a shared computer, where nothing may be stored.
 */
const accountSuffix = '-account'

const [securePattern, plainPattern] = [secureName, plainName].map(
  (name) => new RegExp(`(?:^|;\\s*)(${name})=([A-Za-z0-9_-]{43})(?:;|$)`),
) as [RegExp, RegExp]

/**
 * The hash of the session secret in the Cookie header. The name is part of it, so that neither cookie can replace the other.
 * The secure one comes first, because anyone on the network can plant the plain one.
 */
export function sessionHashOf(cookies: string | undefined): Buffer | undefined {
  if (cookies === undefined) return undefined
  const found = securePattern.exec(cookies) ?? plainPattern.exec(cookies)
  return found ? hashSession(found[1]!, found[2]!) : undefined
}

function hashSession(name: string, secret: string): Buffer {
  return hashKey(`${name}=${secret}`)
}

export interface SessionCookie {
  secret: string
  userId: number
  /** Without it, the cookie ends with the browser: the computer is shared. */
  maxAge: number | undefined
}

/** Sets the cookies and returns the hash to store. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, userId, maxAge }: SessionCookie,
): Buffer {
  const name = cookieName(request)
  const lifetime = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  const account = maxAge === undefined ? '' : userId
  reply.header('set-cookie', [
    `${name}=${secret}; Path=/; HttpOnly; ${attributes(request)}${lifetime}`,
    `${name}${accountSuffix}=${account}; Path=/; ${attributes(request)}${lifetime}`,
  ])
  return hashSession(name, secret)
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  const name = cookieName(request)
  reply.header('set-cookie', [
    `${name}=; Path=/; HttpOnly; ${attributes(request)}; Max-Age=0`,
    `${name}${accountSuffix}=; Path=/; ${attributes(request)}; Max-Age=0`,
  ])
}

function cookieName({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? secureName : plainName
}

function attributes({ protocol }: FastifyRequest): string {
  return `SameSite=Lax${protocol === 'https' ? '; Secure' : ''}`
}
