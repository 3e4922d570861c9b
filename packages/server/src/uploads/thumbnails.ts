import { buffer } from 'node:stream/consumers'
import { thumbnailFormats } from '@parley/api/uploads'
import { type Context, transactIn } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import type { StoredUpload } from '../messages/model/attachments.ts'
import { refreshPreviews } from '../messages/rendering/previews.ts'
import { BadImage, fittedImages } from '../platform/images/image-processor.ts'
import type { Job } from '../platform/jobs/tasks.ts'
import { type Caller, queueOwner } from '../users/caller.ts'
import { thumbnailPath, uploadPath } from './paths.ts'

declare module '../platform/jobs/tasks.ts' {
  interface Tasks {
    make_thumbnails: { attachment_id: number }
  }
}

/** One after another for each user, so that many images leave room for other work and for other users' images. */
export function enqueueThumbnails(tx: Tx, owner: Caller, attachment_id: number): Promise<void> {
  return tx.enqueue('make_thumbnails', { attachment_id }, { line: `make_thumbnails ${queueOwner(owner)}` })
}

/**
 * Makes the small forms of a picture and shows them in the messages that wait for them. A message that is sent
 * meanwhile, and is not seen here, has a job of its own to look again.
 */
export async function makeThumbnails(ctx: Context, { realm_id, attachment_id }: Job<'make_thumbnails'>): Promise<void> {
  const picture = await findWaiting(ctx, realm_id, attachment_id)
  if (picture) await store(ctx, realm_id, picture, await draw(ctx, `${realm_id} ${picture.owner_id}`, picture))
  for (const id of await messagesWith(ctx, realm_id, attachment_id))
    await transactIn(ctx, realm_id, (tx) => refreshPreviews(tx, id))
}

type Waiting = Pick<StoredUpload, 'id' | 'path_id'> & { owner_id: number }

function findWaiting({ db }: Context, realmId: number, id: number): Promise<Waiting | undefined> {
  return db
    .selectFrom('attachments')
    .select(['id', 'path_id', 'owner_id'])
    .where('realm_id', '=', realmId)
    .where('id', '=', id)
    .where('width', 'is not', null)
    .where('thumbnails', 'is', null)
    .executeTakeFirst()
}

const [moving, still] = thumbnailFormats.map(({ name }) => name) as [string, string]
const size = { width: thumbnailFormats[1]!.max_width, height: thumbnailFormats[1]!.max_height }

/** The formats that were made; null: what looked like a picture is none. */
async function draw({ files }: Context, owner: string, { path_id }: Waiting): Promise<string[] | null> {
  const read = async () => {
    const file = await files.open(uploadPath(path_id))
    if (!file) throw new BadImage()
    return buffer(file.read())
  }
  try {
    const [first, moves] = await fittedImages({ owner, read }, size)
    await files.put(thumbnailPath(path_id, still), first!)
    if (moves) await files.put(thumbnailPath(path_id, moving), moves)
    return moves ? [still, moving] : [still]
  } catch (error) {
    if (error instanceof BadImage) return null
    throw error
  }
}

async function store(ctx: Context, realmId: number, { id, path_id }: Waiting, thumbnails: string[] | null) {
  const { numUpdatedRows } = await ctx.db
    .updateTable('attachments')
    .set(thumbnails ? { thumbnails } : { width: null, height: null })
    .where('realm_id', '=', realmId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  // Deleted meanwhile, when nobody knew of these yet.
  for (const format of thumbnails ?? []) await ctx.files.delete(thumbnailPath(path_id, format))
}

async function messagesWith({ db }: Context, realmId: number, attachmentId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('attachment_messages')
    .select('message_id')
    .where('realm_id', '=', realmId)
    .where('attachment_id', '=', attachmentId)
    .orderBy('message_id')
    .execute()
  return rows.map(({ message_id }) => message_id)
}
