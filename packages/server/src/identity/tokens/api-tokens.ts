import { randomBytes } from 'node:crypto'
import type { AgentLimits, createToken } from '@parley/api/identity/tokens'
import { storageLimits } from '@parley/api/limits'
import type { ParamsOf } from '@parley/api/operation'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { accessChannel } from '../../conversations/channels/access.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { networkOf } from '../../platform/http/network.ts'
import { hashKey } from '../../platform/secrets.ts'
import { confirmSession } from '../passwords/credentials.ts'
import { seconds } from '../sessions/sessions.ts'
import { addCredential, endCredentials, listCredentials } from '../sessions/stored-credentials.ts'

type TokenParams = ParamsOf<typeof createToken>

/** The prefix lets people and secret scanners recognize tokens. */
function newToken(): string {
  return `parley_${randomBytes(32).toString('base64url')}`
}

/** Creates a token for the caller or one of their bots. */
export async function createOwnToken(
  ctx: Context,
  caller: Caller,
  params: TokenParams,
  client: { userAgent: string; ip: string },
) {
  const { bot_id, password, ...wanted } = params
  await confirmSession(ctx, caller, password, networkOf(client.ip))
  return transactIn(ctx, caller.realm_id, async (tx) => {
    const owners = await tokenOwners(tx.db, caller)
    const userId = bot_id ?? caller.id
    if (!owners.includes(userId)) throw new ApiError('No such bot')
    const agent = wanted.agent && (await checkAgent(tx.db, caller, wanted))
    return addToken(tx, caller.id, userId, { ...wanted, ...agent }, client)
  })
}

export async function addToken(
  tx: Tx,
  actorId: number,
  userId: number,
  { name, scopes, agent, expires_in }: Pick<TokenParams, 'name' | 'scopes' | 'agent' | 'expires_in'>,
  { userAgent, ip }: { userAgent: string; ip: string },
): Promise<{ token: string; id: number }> {
  if (name.trim() === '') throw new ApiError('A token needs a name that says what it is for.')
  const existing = await listCredentials(tx.db, tx.realmId, [userId], 'token')
  if (existing.length >= storageLimits.tokens)
    throw new ApiError(`A user can have at most ${storageLimits.tokens} tokens. Revoke one first.`)
  const token = newToken()
  const id = await addCredential(tx, {
    userId,
    kind: 'token',
    secretHash: hashKey(token),
    name: name.trim(),
    scopes: scopes ?? null,
    agent,
    userAgent,
    ipAddress: ip,
    idleSeconds: null,
    expiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000),
  })
  await tx.audit(actorId, 'token_created', { user_id: userId, token_id: id, name: name.trim(), scopes: scopes ?? null })
  return { token, id }
}

/** The limits of a new agent, who can read and send, but never administer. */
async function checkAgent(db: Db, caller: Caller, { scopes = ['read', 'send'], agent, may_mix_channels }: TokenParams) {
  if (scopes.some((scope) => scope !== 'read' && scope !== 'send'))
    throw new ApiError('A token of an agent can have the scopes read and send only.')
  const ids = agent!.channel_ids
  const channels = await Promise.all((ids ?? []).map((id) => accessChannel(db, caller, id)))
  const readsPrivately = ids === null || channels.some(({ invite_only }) => invite_only)
  if (scopes.length > 1 && ids?.length !== 1 && readsPrivately && !may_mix_channels)
    throw new ApiError(
      'This agent could carry text out of private conversations. Limit it to one channel, or set may_mix_channels.',
    )
  return { scopes }
}

export async function listOwnTokens({ db }: Context, caller: Caller) {
  const tokens = await listCredentials(db, caller.realm_id, await tokenOwners(db, caller), 'token')
  return tokens.map(({ id, user_id, name, scopes, agent, created_at, used_at, expires_at }) => ({
    id,
    user_id,
    name,
    scopes: scopes as TokenParams['scopes'] & object,
    agent: agent as AgentLimits | null,
    created_at: seconds(created_at),
    last_used_at: used_at > created_at ? seconds(used_at) : null,
    expires_at: expires_at && seconds(expires_at),
  }))
}

export function revokeOwnToken(ctx: Context, caller: Caller, tokenId: number): Promise<void> {
  return transactIn(ctx, caller.realm_id, async (tx) => {
    const own = await listCredentials(tx.db, tx.realmId, await tokenOwners(tx.db, caller), 'token')
    const token = own.find(({ id }) => id === tokenId)
    if (!token) throw new ApiError('You have no such token.')
    await endCredentials(tx, [tokenId])
    await tx.audit(caller.id, 'token_revoked', { user_id: token.user_id, token_id: tokenId, name: token.name })
  })
}

/** The caller and the active bots that the caller owns. */
async function tokenOwners(db: Db, { realm_id, id }: Caller): Promise<number[]> {
  const bots = await db
    .selectFrom('users')
    .select('id')
    .where(matches({ realm_id, bot_owner_id: id, is_active: true }))
    .execute()
  return [id, ...bots.map((bot) => bot.id)]
}
