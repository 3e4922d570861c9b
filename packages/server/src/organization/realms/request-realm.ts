import type { FastifyRequest } from 'fastify'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** The realm of a request, by its Host header. */
export async function realmOf(ctx: Context, request: FastifyRequest): Promise<Realm> {
  const realmId = await ctx.hosts.realmIdOf(request.headers.host)
  if (realmId === undefined) throw noRealm()
  return (await ctx.realms.get(realmId)).realm
}

export function noRealm(): ApiError {
  return new ApiError('There is no organization at this address.', 'NONEXISTENT_SUBDOMAIN')
}
