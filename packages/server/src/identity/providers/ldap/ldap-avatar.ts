import { avatarLimit } from '@parley/api/people/avatars'
import type { Context } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { findUser } from '../../../people/users/queries.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Job } from '../../../platform/jobs/tasks.ts'
import { hasNoAvatar, storeAvatar } from '../avatar.ts'
import { directoriesOf } from '../providers.ts'
import { DirectoryFailed, type LdapDirectory, withDirectory } from './ldap-connection.ts'
import { readPhoto } from './ldap-entries.ts'

declare module '../../../platform/jobs/tasks.ts' {
  interface Tasks {
    fetch_directory_avatar: { user_id: number; directory: string; subject: string }
  }
}

/** Takes over the photo of an entry, in the background, for users who never had an avatar here. */
export async function requestPhoto(tx: Tx, { id, avatar_attribute }: LdapDirectory, user_id: number, subject: string) {
  if (avatar_attribute === undefined) return
  const user = await findUser(tx.db, tx.realmId, user_id)
  const payload = { user_id, directory: id, subject }
  if (user && hasNoAvatar(user)) await tx.enqueue('fetch_directory_avatar', payload, { key: `fetch_avatar ${user_id}` })
}

export async function fetchPhoto(ctx: Context, job: Job<'fetch_directory_avatar'>): Promise<void> {
  const { realm } = await ctx.realms.get(job.realm_id)
  const directory = directoriesOf(ctx.config, realm).find(({ id }) => id === job.directory)
  if (!directory) return
  await storeAvatar(ctx, job, async () => {
    const photo = await withDirectory(directory, (conversation) =>
      readPhoto(conversation, directory, job.subject),
    ).catch((error: unknown) => {
      throw error instanceof DirectoryFailed ? new ApiError(error.message) : error
    })
    if (!photo || photo.length > avatarLimit) throw new ApiError('The entry has no photo, or it is too large.')
    return photo
  })
}
