import { sql } from 'kysely'
import { accessibleMessages } from '../messages/access.ts'
import type { Db } from '../platform/db/pool.ts'
import { NoSuchFile } from '../platform/http/send-file.ts'
import type { Caller } from '../users/caller.ts'

export interface UploadedFile {
  name: string
  path_id: string
  content_type: string
}

/** A file of the caller's own, or one that a message links to which they may read. Hidden ones fail like missing ones. */
export async function accessFile(db: Db, caller: Caller, pathId: string): Promise<UploadedFile> {
  const { rows } = await sql<UploadedFile & { owner_id: number; message_ids: number[] }>`
    select a.name, a.path_id, a.content_type, a.owner_id,
           array(select l.message_id from attachment_messages l
                  where l.realm_id = a.realm_id and l.attachment_id = a.id) as message_ids
      from attachments a where a.realm_id = ${caller.realm_id} and a.path_id = ${pathId}`.execute(db)
  const [file] = rows
  const mayRead =
    file && (file.owner_id === caller.id || (await accessibleMessages(db, caller, file.message_ids)).length > 0)
  if (!mayRead) throw new NoSuchFile()
  return file
}
