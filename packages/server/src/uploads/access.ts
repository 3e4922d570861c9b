import { accessibleUploads, type StoredUpload } from '../messages/model/attachments.ts'
import type { Db } from '../platform/db/pool.ts'
import { NoSuchFile } from '../platform/http/send-file.ts'
import type { Caller } from '../users/caller.ts'

/** A file that the caller owns, or to which a readable message links. A hidden file fails exactly like a missing one. */
export async function accessFile(db: Db, caller: Caller, pathId: string): Promise<StoredUpload> {
  const [file] = await accessibleUploads(db, caller, [pathId])
  if (!file) throw new NoSuchFile()
  return file
}

/** The requested thumbnail, or the most similar one, because clients may request other sizes. */
export function accessThumbnail({ thumbnails }: StoredUpload, requested: string): string {
  const isAnimated = (name: string) => name.includes('-anim.')
  const format = thumbnails?.find((name) => isAnimated(name) === isAnimated(requested)) ?? thumbnails?.[0]
  if (format === undefined || !/^\d+x\d+(?:-anim)?\.[a-z]+$/.test(requested)) throw new NoSuchFile()
  return format
}
