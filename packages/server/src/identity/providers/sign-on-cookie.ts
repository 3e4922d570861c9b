import type { FastifyReply, FastifyRequest } from 'fastify'
import { minutesAway } from './oidc/oidc.ts'

/** Like the session cookie: browsers accept the prefix only from HTTPS. Lax, because the provider sends the browser back. */
function nameOf({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? '__Host-parley-sign-on' : 'parley-sign-on'
}

export function setSignOnCookie(request: FastifyRequest, reply: FastifyReply, sealed: string): void {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  const maxAge = sealed === '' ? 0 : minutesAway * 60
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
  reply.header('set-cookie', `${nameOf(request)}=${sealed}; ${attributes}`)
}

export function readSignOnCookie(request: FastifyRequest): string {
  const found = new RegExp(`(?:^|;\\s*)${nameOf(request)}=([A-Za-z0-9_-]+)`).exec(request.headers.cookie ?? '')
  return found?.[1] ?? ''
}
