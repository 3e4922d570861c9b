import { accessibleUploads, type StoredUpload } from '../messages/model/attachments.ts'
import type { Db } from '../platform/db/pool.ts'
import { NoSuchFile } from '../platform/http/send-file.ts'
import type { Caller } from '../users/caller.ts'

/** A file of the caller's own, or one that a message links to which they may read. Hidden ones fail like missing ones. */
export async function accessFile(db: Db, caller: Caller, pathId: string): Promise<StoredUpload> {
  const [file] = await accessibleUploads(db, caller, [pathId])
  if (!file) throw new NoSuchFile()
  return file
}

/** The thumbnail asked for, or of those that there are the one most like it: a client may want another size. */
export function accessThumbnail({ thumbnails }: StoredUpload, wanted: string): string {
  const moves = (name: string) => name.includes('-anim.')
  const format = thumbnails?.find((name) => moves(name) === moves(wanted)) ?? thumbnails?.[0]
  if (format === undefined || !/^\d+x\d+(?:-anim)?\.[a-z]+$/.test(wanted)) throw new NoSuchFile()
  return format
}
