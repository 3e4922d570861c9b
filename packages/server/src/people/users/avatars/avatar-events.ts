import { fakeDomain, type Realm } from '../../../callers/realm-state.ts'
import type { Audience } from '../../../events/log.ts'
import type { Tx } from '../../../events/transact.ts'
import { avatarUrl, type UserRow, withPublicEmail } from '../user-object.ts'
import { emailAudience } from '../visibility/email-visibility.ts'
import { visibilityAudience } from '../visibility/visible-users.ts'

/** Emits the public avatar, then the Gravatar of a hidden email to the users who may see that email. */
export async function emitAvatar(tx: Tx, realm: Realm, user: UserRow): Promise<void> {
  emit(tx, realm, user, await visibilityAudience(tx.db, realm, user))
  await emitHiddenGravatar(tx, realm, user)
}

export async function emitHiddenGravatar(tx: Tx, realm: Realm, user: UserRow): Promise<void> {
  const real = withPublicEmail(user)
  if (real !== user && user.avatar_source === 'G') emit(tx, realm, real, await emailAudience(tx.db, realm, user))
}

/** Counts as an access change, because cached users include their avatars. */
function emit(tx: Tx, realm: Realm, user: UserRow, audience: Audience): void {
  tx.emit({ type: 'realm_user', op: 'update', person: avatarOf(user, realm) }, audience, { access: true })
}

export function avatarOf(user: UserRow, realm: Realm) {
  const host = fakeDomain(realm)
  return {
    user_id: user.id,
    avatar_url: avatarUrl(user, host),
    avatar_url_medium: avatarUrl(user, host, 'medium'),
    avatar_source: user.avatar_source,
    avatar_version: user.avatar_version,
  }
}
