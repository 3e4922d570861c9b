import { randomBytes } from 'node:crypto'
import { isAdmin } from '@parley/api/permissions'
import { sql } from 'kysely'
import { type Caller, queueOwner } from '../../../callers/caller.ts'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { FileStore } from '../../../platform/files/file-store.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Upload } from '../../../platform/http/upload.ts'
import { type ImageSource, stillSquares } from '../../../platform/images/image-processor.ts'
import type { UserRow } from '../user-object.ts'
import { emitAvatar } from './avatar-events.ts'

/** Side lengths of the square images, in pixels. */
const small = 100
const medium = 500

/** The paths of the two images of an uploaded avatar. */
export function avatarFiles(avatarPath: string): [small: string, medium: string] {
  return [`avatars/${avatarPath}.png`, `avatars/${avatarPath}-medium.png`]
}

export function checkMayChangeAvatar(caller: Caller): void {
  if (caller.realm.settings.avatar_changes_disabled && !isAdmin(caller))
    throw new ApiError('Avatar changes are disabled in this organization.')
}

/**
 * Stores the uploaded image, if there is one, and passes its path to `work`, which assigns it to a user. Files are
 * written first: a crash may leave unused files, but never a user whose avatar is missing.
 */
export async function storingAvatar<T>(
  files: FileStore,
  caller: Caller,
  upload: Upload | undefined,
  work: (avatarPath: string | undefined) => Promise<T>,
): Promise<T> {
  if (!upload) return work(undefined)
  const source = { owner: queueOwner(caller), read: () => upload.bytes() }
  return storingImage(files, caller.realm_id, source, work)
}

/** The same for an image that does not come with a request. */
export async function storingImage<T>(
  files: FileStore,
  realmId: number,
  source: ImageSource,
  work: (avatarPath: string) => Promise<T>,
): Promise<T> {
  const images = await stillSquares(source, [small, medium])
  const path = `${realmId}/${randomBytes(16).toString('hex')}`
  const stored = avatarFiles(path)
  for (const [index, image] of images.entries()) await files.put(stored[index]!, image)
  try {
    return await work(path)
  } catch (error) {
    // After other errors the transaction may have committed, so the files stay.
    if (error instanceof ApiError) for (const file of stored) await files.delete(file)
    throw error
  }
}

/** Assigns an uploaded avatar; null restores the default one. */
export async function changeAvatar(tx: Tx, realm: Realm, user: UserRow, avatar_path: string | null): Promise<UserRow> {
  const avatar_source = avatar_path === null ? 'G' : 'U'
  const { avatar_version } = await tx.db
    .updateTable('users')
    .set({ avatar_path, avatar_source, avatar_version: sql`avatar_version + 1` })
    .where(matches({ realm_id: tx.realmId, id: user.id }))
    .returning('avatar_version')
    .executeTakeFirstOrThrow()
  const changed = { ...user, avatar_path, avatar_source, avatar_version }
  await emitAvatar(tx, realm, changed)
  if (user.avatar_path !== null)
    for (const path of avatarFiles(user.avatar_path)) await tx.enqueue('delete_file', { path })
  return changed
}
