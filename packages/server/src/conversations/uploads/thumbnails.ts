import { buffer } from 'node:stream/consumers'
import { thumbnailFormats } from '@parley/api/conversations/uploads'
import { type Caller, queueOwner } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { BadImage, fittedImages } from '../../platform/images/image-processor.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import type { StoredUpload } from '../messages/model/attachments.ts'
import { refreshPreviews } from '../messages/rendering/previews.ts'
import { thumbnailPath, uploadPath } from './paths.ts'

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    make_thumbnails: { attachment_id: number }
  }
}

/** Jobs of the same user run one at a time, so that many images do not delay other users and other jobs. */
export function enqueueThumbnails(tx: Tx, owner: Caller, attachment_id: number): Promise<void> {
  return tx.enqueue('make_thumbnails', { attachment_id }, { line: `make_thumbnails ${queueOwner(owner)}` })
}

/**
 * Creates the thumbnails of an image and updates the messages that show a placeholder. A message sent concurrently may
 * be missed here; it has its own job that checks again.
 */
export async function makeThumbnails(ctx: Context, { realm_id, attachment_id }: Job<'make_thumbnails'>): Promise<void> {
  const image = await findWaiting(ctx, realm_id, attachment_id)
  if (image) await store(ctx, realm_id, image, await createFiles(ctx, `${realm_id} ${image.owner_id}`, image))
  for (const id of await messagesWith(ctx, realm_id, attachment_id))
    await transactIn(ctx, realm_id, (tx) => refreshPreviews(tx, id))
}

type Waiting = Pick<StoredUpload, 'id' | 'path_id'> & { owner_id: number }

function findWaiting({ db }: Context, realmId: number, id: number): Promise<Waiting | undefined> {
  return db
    .selectFrom('attachments')
    .select(['id', 'path_id', 'owner_id'])
    .where(matches({ realm_id: realmId, id }))
    .where('width', 'is not', null)
    .where('thumbnails', 'is', null)
    .executeTakeFirst()
}

const [animatedFormat, stillFormat] = thumbnailFormats.map(({ name }) => name) as [string, string]
const size = { width: thumbnailFormats[1]!.max_width, height: thumbnailFormats[1]!.max_height }

/** Creates the thumbnails and returns their formats. Null if the file is not a valid image. */
async function createFiles({ files }: Context, owner: string, { path_id }: Waiting): Promise<string[] | null> {
  const read = async () => {
    const file = await files.open(uploadPath(path_id))
    if (!file) throw new BadImage()
    return buffer(file.read())
  }
  try {
    const [first, animated] = await fittedImages({ owner, read }, size)
    await files.put(thumbnailPath(path_id, stillFormat), first!)
    if (animated) await files.put(thumbnailPath(path_id, animatedFormat), animated)
    return animated ? [stillFormat, animatedFormat] : [stillFormat]
  } catch (error) {
    if (error instanceof BadImage) return null
    throw error
  }
}

async function store(ctx: Context, realmId: number, { id, path_id }: Waiting, thumbnails: string[] | null) {
  const { numUpdatedRows } = await ctx.db
    .updateTable('attachments')
    .set(thumbnails ? { thumbnails } : { width: null, height: null })
    .where(matches({ realm_id: realmId, id }))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  // The upload was deleted before its thumbnails were recorded.
  for (const format of thumbnails ?? []) await ctx.files.delete(thumbnailPath(path_id, format))
}

async function messagesWith({ db }: Context, realmId: number, attachmentId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('attachment_messages')
    .select('message_id')
    .where(matches({ realm_id: realmId, attachment_id: attachmentId }))
    .orderBy('message_id')
    .execute()
  return rows.map(({ message_id }) => message_id)
}
