import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../callers/caller.ts'
import { isLoopback } from '../../config.ts'
import type { Context } from '../../context.ts'
import { networkOf } from '../../platform/http/network.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'

export interface Limited {
  ctx: Context
  /**
   * Per IP network: `refused` credentials, `signIn` attempts with a password, `open` operations for anyone, and pages of
   * open channels for `readers` without an account.
   */
  limits: Record<
    'user' | 'refused' | 'signIn' | 'open' | 'readers' | 'files' | 'provisioning' | 'testEmails' | 'stops',
    RateLimit
  >
}

export function limitAddress(app: Limited, request: FastifyRequest, reply: FastifyReply, limit: RateLimit): void {
  const network = networkOf(request.ip)
  app.ctx.slowClients.attribute(request.raw.socket, network)
  spend(app, request, reply, limit, network)
}

function spend(app: Limited, request: FastifyRequest, reply: FastifyReply, limit: RateLimit, key: string): void {
  reply.headers(quotaHeaders(app, request.ip, limit, key) ?? {})
}

/** Takes one request of the caller from the allowance they share with their bots. */
export function limitCaller(app: Limited, request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
  const allowance = allowanceOf(caller)
  app.ctx.slowClients.attribute(request.raw.socket, allowance)
  spend(app, request, reply, app.limits.user, allowance)
}

/** Whose rate limit a caller uses: bots share their owner's. */
export function allowanceOf({ id, bot_owner_id }: Caller): string {
  return `user ${bot_owner_id ?? id}`
}

/** Takes one request from an allowance. Returns the headers that show what is left, unless there are no limits. */
export function quotaHeaders(
  { ctx }: Limited,
  address: string,
  limit: RateLimit,
  key: string,
): Record<string, string> | undefined {
  if (rateLimitOf(ctx) === 0) return undefined
  const quota = isExempt(ctx, address) ? limit.full() : limit.take(key)
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000 + quota.reset)),
  }
}

/** Requests a minute and user; 0: no limit. */
export function rateLimitOf({ settings, config }: Pick<Context, 'settings' | 'config'>): number {
  return settings.rateLimit ?? config.rateLimit
}

function isExempt({ config }: Context, address: string): boolean {
  return config.mode === 'demo' && isLoopback(address)
}

/** For pages that people without an account read. */
export function limitReader(app: Limited, request: FastifyRequest, reply: FastifyReply): void {
  limitAddress(app, request, reply, app.limits.readers)
}

export function limitFiles(app: Limited, request: FastifyRequest, reply: FastifyReply, key: string): void {
  app.ctx.slowClients.attribute(request.raw.socket, key)
  spend(app, request, reply, app.limits.files, key)
}
