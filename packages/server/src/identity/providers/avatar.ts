import { avatarLimit } from '@parley/api/people/avatars'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { changeAvatar, storingImage } from '../../people/users/avatars/avatars.ts'
import { findUser } from '../../people/users/queries.ts'
import { accessOwnAccount } from '../../people/users/settings/own-settings.ts'
import type { UserRow } from '../../people/users/user-object.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import { InternalHosts } from '../../platform/outgoing/ip-addresses.ts'
import { guardedGet, OutgoingFailure } from '../../platform/outgoing/safe-fetch.ts'

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    /** `issuer` is the URL of the provider that named the image. */
    fetch_avatar: { user_id: number; url: string; issuer: string }
  }
}

/** Fetches the image that a provider names, in the background, for users who never had an avatar here. */
export async function requestAvatar(tx: Tx, userId: number, url: string | undefined, issuer: string): Promise<void> {
  if (url === undefined || url.length > 2000 || !/^https?:\/\//.test(url) || !URL.canParse(url)) return
  const user = await findUser(tx.db, tx.realmId, userId)
  if (user && hasNoAvatar(user))
    await tx.enqueue('fetch_avatar', { user_id: userId, url, issuer }, { key: `fetch_avatar ${userId}` })
}

/** The version counts changes, so that an avatar that the user has deleted does not come back. */
export function hasNoAvatar({ avatar_path, avatar_version }: UserRow): boolean {
  return avatar_path === null && avatar_version === 1
}

export function fetchAvatar(ctx: Context, job: Job<'fetch_avatar'>): Promise<void> {
  const { url, issuer } = job
  // Another port of the same host may be an internal service.
  const { origin, hostname } = new URL(issuer)
  const internal = new InternalHosts(new URL(url).origin === origin ? [hostname] : [])
  return storeAvatar(ctx, job, () => guardedGet({ url, internal, limit: avatarLimit }))
}

/** An image that cannot be used is left out. The next sign-in tries again. */
export async function storeAvatar(
  ctx: Context,
  { realm_id, user_id }: { realm_id: number; user_id: number },
  read: () => Promise<Buffer>,
): Promise<void> {
  try {
    const bytes = await read()
    const source = { owner: `${realm_id} ${user_id}`, read: async () => bytes }
    const assign = (path: string) =>
      transactIn(ctx, realm_id, (tx) => assignAvatar(tx, { realm_id, id: user_id }, path))
    await storingImage(ctx.files, realm_id, source, assign)
  } catch (error) {
    if (!(error instanceof OutgoingFailure || error instanceof ApiError)) throw error
    ctx.log.info({ user_id, reason: error.message }, 'the image of an identity provider was not used')
  }
}

async function assignAvatar(tx: Tx, user: { realm_id: number; id: number }, path: string): Promise<void> {
  const own = await accessOwnAccount(tx, user)
  if (!hasNoAvatar(own.user)) throw new ApiError('The user already has an avatar.')
  await changeAvatar(tx, own.caller.realm, own.user, path)
  await tx.audit(null, 'avatar_changed', { user_id: user.id })
}
