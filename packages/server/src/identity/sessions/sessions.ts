import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../callers/caller.ts'
import { endOf } from '../../callers/credential.ts'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { deviceName } from './device-name.ts'
import { clearSessionCookie, setSessionCookie } from './session-cookie.ts'
import { addCredential, endCredentials, listCredentials } from './stored-credentials.ts'

const day = 86_400
/** A session ends when it was not used for 30 days, and after a year in any case. */
const usual = { idleSeconds: 30 * day, seconds: 365 * day, isKept: true }
const onSharedComputer = { idleSeconds: 2 * 3600, seconds: 12 * 3600, isKept: false }

/** Signs the browser in: sets the session cookie. Every sign-in gets a new secret, so that none can be planted. */
export async function startSession(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { id: userId, realm_id }: { id: number; realm_id: number },
  { isSharedComputer = false, signOn }: { isSharedComputer?: boolean | undefined; signOn?: object | undefined } = {},
): Promise<number> {
  const { idleSeconds, seconds, isKept } = isSharedComputer ? onSharedComputer : usual
  const secret = randomBytes(32).toString('base64url')
  const secretHash = setSessionCookie(request, reply, { secret, userId, maxAge: isKept ? seconds : undefined })
  return transactIn(ctx, realm_id, async (tx) => {
    const sessionId = await addCredential(tx, {
      userId,
      kind: 'session',
      secretHash,
      userAgent: request.headers['user-agent'] ?? '',
      ipAddress: request.ip,
      idleSeconds,
      expiresAt: new Date(Date.now() + seconds * 1000),
      signOn,
    })
    await tx.audit(userId, 'session_started', { user_id: userId, session_id: sessionId })
    return sessionId
  })
}

/** The sessions of the caller, or of another user. */
export async function listSessions({ db }: Context, { realm_id, id, credential }: Caller, userId = id) {
  const sessions = await listCredentials(db, realm_id, [userId], 'session')
  return sessions.map((session) => ({
    id: session.id,
    is_current: session.id === credential?.id,
    device: deviceName(session.user_agent),
    ip_address: session.ip_address,
    created_at: seconds(session.created_at),
    last_used_at: seconds(session.used_at),
    expires_at: seconds(endOf(session)!),
  }))
}

export function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

export function endOwnSession(ctx: Context, caller: Caller, sessionId: number): Promise<void> {
  return transactIn(ctx, caller.realm_id, (tx) => endSessionOf(tx, caller.id, caller.id, sessionId))
}

export async function endSessionOf(tx: Tx, actorId: number, userId: number, sessionId: number): Promise<void> {
  const sessions = await listCredentials(tx.db, tx.realmId, [userId], 'session')
  if (!sessions.some(({ id }) => id === sessionId))
    throw new ApiError(actorId === userId ? 'You have no such session.' : 'This user has no such session.')
  await endCredentials(tx, [sessionId])
  await tx.audit(actorId, 'session_ended', { user_id: userId, session_id: sessionId })
}

/** Ends the session of this request. The browser drops the cookie and everything it stored for this site. */
export async function signOut(ctx: Context, caller: Caller, request: FastifyRequest, reply: FastifyReply) {
  if (caller.credential?.kind !== 'session') throw new ApiError('This request does not use a session.')
  await endOwnSession(ctx, caller, caller.credential.id)
  clearSessionCookie(request, reply)
  reply.header('clear-site-data', '"cache", "cookies", "storage"')
}
