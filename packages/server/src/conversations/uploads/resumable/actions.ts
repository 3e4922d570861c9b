import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { column, one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { addFile, type NewFile } from '../actions.ts'
import { checkQuota, lockQuota, type Quota } from '../quota.ts'
import { ChangedMeanwhile, type Resumable } from './access.ts'
import { lifetimeHours, maxSize, maxUnfinished } from './resumable-limits.ts'

export interface NewResumable {
  name: string
  contentType: string
  size: number
}

/** The declared sizes of unfinished uploads count against the quota, so that they cannot fill the store together. */
export async function createResumable(
  tx: Tx,
  owner: Caller,
  { name, contentType, size }: NewResumable,
  quota: Quota,
): Promise<{ id: string; expires_at: Date }> {
  if (size > maxSize) throw new ApiError(`The file is larger than ${maxSize / 1024 / 1024} MiB.`, 'PAYLOAD_TOO_LARGE')
  await lockQuota(tx, quota)
  await refuseTooMany(tx, owner)
  const { pending } = await one<{ pending: number }>(tx.db)`
    select coalesce(sum(size), 0)::bigint as pending from resumable_uploads
     where realm_id = ${tx.realmId} and path_id is null and expires_at > now()`
  await checkQuota(tx.db, tx.realmId, size + pending, quota)
  const id = randomBytes(18).toString('base64url')
  return one<{ id: string; expires_at: Date }>(tx.db)`
    insert into resumable_uploads (realm_id, id, owner_id, name, content_type, size, expires_at)
    values (${tx.realmId}, ${id}, ${owner.id}, ${name}, ${contentType}, ${size},
            now() + make_interval(hours => ${lifetimeHours}))
    returning id, expires_at`
}

async function refuseTooMany(tx: Tx, owner: Caller): Promise<void> {
  const { unfinished } = await one<{ unfinished: number }>(tx.db)`
    select count(*) as unfinished from resumable_uploads
     where realm_id = ${tx.realmId} and owner_id = ${owner.id} and path_id is null and expires_at > now()`
  if (unfinished >= maxUnfinished)
    throw new ApiError(`You have ${maxUnfinished} unfinished uploads: finish or cancel one first.`, 'RATE_LIMIT_HIT')
}

/** Records bytes that are in the file store. Of two requests with the same offset, one gets a conflict. */
export async function appendPart(tx: Tx, upload: Resumable, part: { path: string; size: number }): Promise<void> {
  const updated = await column<string>(tx.db)`
    update resumable_uploads set received = received + ${part.size}, parts = array_append(parts, ${part.path})
     where realm_id = ${tx.realmId} and id = ${upload.id} and received = ${upload.received} and path_id is null
    returning id`
  if (updated.length === 0) throw new ChangedMeanwhile()
}

/** Adds the finished file. The row stays until it expires, so that a client that missed the response can ask again. */
export async function finishResumable(
  tx: Tx,
  owner: Caller,
  upload: Resumable,
  file: NewFile,
  quota: Quota,
): Promise<void> {
  const updated = await column<string>(tx.db)`
    update resumable_uploads set received = size, path_id = ${file.path_id}, parts = '{}'
     where realm_id = ${tx.realmId} and id = ${upload.id} and received = ${upload.received} and path_id is null
    returning id`
  if (updated.length === 0) throw new ChangedMeanwhile()
  await addFile(tx, owner, file, quota)
  for (const path of upload.parts) await tx.enqueue('delete_file', { path })
}

/** Cancels an upload. A finished file is deleted like any other file instead. */
export async function cancelResumable(tx: Tx, owner: Caller, id: string): Promise<void> {
  const own = matches({ realm_id: tx.realmId, owner_id: owner.id, id })
  const deleted = await tx.db.deleteFrom('resumable_uploads').where(own).returning('parts').execute()
  for (const path of deleted.flatMap(({ parts }) => parts)) await tx.enqueue('delete_file', { path })
}

const batchSize = 100

export async function removeExpiredBatch(tx: Tx): Promise<number> {
  const expired = await column<string[]>(tx.db)`
    delete from resumable_uploads where realm_id = ${tx.realmId} and id = any (array(
      select id from resumable_uploads where realm_id = ${tx.realmId} and expires_at < now()
       order by expires_at limit ${sql.lit(batchSize)}))
    returning parts`
  for (const path of expired.flat()) await tx.enqueue('delete_file', { path })
  return expired.length
}
