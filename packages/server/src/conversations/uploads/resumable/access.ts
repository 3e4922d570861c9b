import type { Caller } from '../../../callers/caller.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { NoSuchFile } from '../../../platform/http/send-file.ts'

export interface Resumable {
  id: string
  name: string
  content_type: string
  size: number
  received: number
  parts: string[]
  path_id: string | null
  expires_at: Date
}

/** Clients then ask for the offset and continue from there. */
export class ChangedMeanwhile extends ApiError {
  constructor() {
    super('Upload-Offset does not match what has been received.', 'BAD_REQUEST', { status: 409 })
  }
}

/** An upload of the caller. One of another user fails exactly like one that does not exist or has expired. */
export async function accessResumable(db: Db, caller: Caller, id: string): Promise<Resumable> {
  const upload = await db
    .selectFrom('resumable_uploads')
    .select(['id', 'name', 'content_type', 'size', 'received', 'parts', 'path_id', 'expires_at'])
    .where(matches({ realm_id: caller.realm_id, owner_id: caller.id, id }))
    .where('expires_at', '>', new Date())
    .executeTakeFirst()
  if (!upload) throw new NoSuchFile()
  return upload
}
