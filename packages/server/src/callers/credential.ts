import type { AgentLimits } from '@parley/api/identity/tokens'
import type { RequiredScope, Scope } from '@parley/api/scopes'
import { ApiError } from '../platform/http/api-error.ts'

/** A browser session or a named token. The API key of a user is not one: it never expires and has no scopes. */
export interface Credential {
  id: number
  kind: 'session' | 'token'
  /** Null: everything the user may do. */
  scopes: Scope[] | null
  /** Only for tokens of agents. */
  agent: AgentLimits | null
  name: string
  /** When the database last learned of a use. */
  used_at: Date
  idle_seconds: number | null
  expires_at: Date | null
}

/** How long a session or token stays valid if it is not used; null: forever. */
export function endOf({
  used_at,
  idle_seconds,
  expires_at,
}: Pick<Credential, 'used_at' | 'idle_seconds' | 'expires_at'>): Date | null {
  const idleEnd = idle_seconds === null ? Infinity : used_at.getTime() + idle_seconds * 1000
  const end = Math.min(idleEnd, expires_at?.getTime() ?? Infinity)
  return end === Infinity ? null : new Date(end)
}

export function isExpired(credential: Credential, now = Date.now()): boolean {
  const end = endOf(credential)
  return end !== null && end.getTime() <= now
}

/** Whether the request comes from a browser that is signed in. */
export function isSession({ credential }: { credential: Credential | null }): boolean {
  return credential?.kind === 'session'
}

/** Whether the credential may do everything that its user may. */
export function isFull(credential: Credential | null): boolean {
  return !credential?.scopes
}

/** Whether the credential may be used in a channel; null stands for direct messages. Only tokens of agents are limited. */
export function mayUseChannel(credential: Credential | null, channelId: number | null): boolean {
  const allowed = credential?.agent?.channel_ids ?? null
  return allowed === null || (channelId !== null && allowed.includes(channelId))
}

/** Tokens of agents reach operations only through the tools at /mcp, which know their limits. */
export function checkScope(credential: Credential | null, required: RequiredScope, isTool = false): void {
  if (isFull(credential)) return
  if (credential!.agent && !isTool)
    throw new ApiError('This token is for an agent. It can be used at /mcp only.', 'SCOPE_REQUIRED')
  if (required === 'full') throw new ApiError('Tokens with limited scopes cannot do this.', 'SCOPE_REQUIRED')
  if (!credential!.scopes!.includes(required))
    throw new ApiError(`This token lacks the scope ${required}.`, 'SCOPE_REQUIRED', { fields: { scope: required } })
}
