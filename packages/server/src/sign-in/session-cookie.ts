import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashKey } from '../platform/secrets.ts'

/** Browsers accept the prefix only from HTTPS, for this host alone. Plain HTTP, as in the demo, cannot use it. */
const secureName = '__Host-parley'
const plainName = 'parley'

const pattern = new RegExp(`(?:^|;\\s*)(${secureName}|${plainName})=([A-Za-z0-9_-]{43})(?:;|$)`)

/** The hash of the session secret in the Cookie header. The name is part of it, so that neither cookie can replace the other. */
export function sessionHashOf(cookies: string | undefined): Buffer | undefined {
  const found = cookies === undefined ? null : pattern.exec(cookies)
  return found ? hashSession(found[1]!, found[2]!) : undefined
}

function hashSession(name: string, secret: string): Buffer {
  return hashKey(`${name}=${secret}`)
}

/** Sets the cookie and returns the hash to store. Without `maxAge`, the cookie ends with the browser. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  maxAge: number | undefined,
): Buffer {
  const name = cookieName(request)
  const lifetime = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  reply.header('set-cookie', `${name}=${secret}; ${attributes(request)}${lifetime}`)
  return hashSession(name, secret)
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', `${cookieName(request)}=; ${attributes(request)}; Max-Age=0`)
}

function cookieName({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? secureName : plainName
}

function attributes({ protocol }: FastifyRequest): string {
  return `Path=/; HttpOnly; SameSite=Lax${protocol === 'https' ? '; Secure' : ''}`
}
