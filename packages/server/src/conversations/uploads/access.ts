import { Unauthorized } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import type { Realm } from '../../callers/realm-state.ts'
import type { Db } from '../../platform/db/pool.ts'
import { NoSuchFile } from '../../platform/http/send-file.ts'
import { accessibleUploads, type StoredUpload } from '../messages/model/attachments.ts'
import { isOpen } from '../web-public/access.ts'
import { findOpenFile } from '../web-public/queries.ts'

/** A file that the caller owns, or to which a readable message links. A hidden file fails exactly like a missing one. */
export async function accessFile(db: Db, caller: Caller, pathId: string): Promise<StoredUpload> {
  const [file] = await accessibleUploads(db, caller, [pathId])
  if (!file) throw new NoSuchFile()
  return file
}

/** A file of an open channel, for people without an account. All others fail as they do where nothing is open. */
export async function accessOpenFile(db: Db, realm: Realm, pathId: string): Promise<StoredUpload> {
  const file = isOpen(realm) ? await findOpenFile(db, realm.id, pathId) : undefined
  if (!file) throw new Unauthorized('Missing authorization header')
  return file
}

/** The requested thumbnail, or the most similar one, because clients may request other sizes. */
export function accessThumbnail({ thumbnails }: StoredUpload, requested: string): string {
  const isAnimated = (name: string) => name.includes('-anim.')
  const format = thumbnails?.find((name) => isAnimated(name) === isAnimated(requested)) ?? thumbnails?.[0]
  if (format === undefined || !/^\d+x\d+(?:-anim)?\.[a-z]+$/.test(requested)) throw new NoSuchFile()
  return format
}
