import { randomBytes } from 'node:crypto'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { SquareImage } from '../../platform/images/image-processor.ts'
import { checkSharedLimit } from '../realms/snapshot-limits.ts'
import { accessOwnEmoji, type EmojiActor, EmojiExists } from './access.ts'
import { readEmoji } from './queries.ts'

export interface EmojiFiles {
  file_name: string
  still_file_name: string | null
}

export function emojiPath(realmId: number, fileName: string): string {
  return `emoji/${realmId}/${fileName}`
}

/** Files are stored before the row: a crash may leave an unused file, but never an emoji without an image. */
export async function storeEmoji(files: FileStore, realmId: number, square: SquareImage): Promise<EmojiFiles> {
  const key = randomBytes(8).toString('hex')
  const file_name = `${key}.${square.extension}`
  const still_file_name = square.still ? `${key}-still.png` : null
  await files.put(emojiPath(realmId, file_name), square.image)
  if (square.still) await files.put(emojiPath(realmId, still_file_name!), square.still)
  return { file_name, still_file_name }
}

export async function dropEmojiFiles(store: FileStore, realmId: number, files: EmojiFiles): Promise<void> {
  await store.delete(emojiPath(realmId, files.file_name))
  if (files.still_file_name) await store.delete(emojiPath(realmId, files.still_file_name))
}

export async function addEmoji(tx: Tx, author: EmojiActor, name: string, files: EmojiFiles): Promise<void> {
  const added = await tx.db
    .insertInto('realm_emoji')
    .values({ realm_id: tx.realmId, name, author_id: author.id, ...files })
    .onConflict((conflict) => conflict.doNothing()) // concurrent requests may race for the name; the unique index decides
    .returning('id')
    .executeTakeFirst()
  if (!added) throw new EmojiExists()
  await lockRow(tx, 'users', author.id)
  await checkSharedLimit(tx, 'realm_emoji', author.id)
  await tx.audit(author.id, 'emoji_added', { id: added.id, name })
  await emitEmoji(tx)
}

export async function deactivateEmoji(tx: Tx, actor: EmojiActor, name: string): Promise<void> {
  const id = await accessOwnEmoji(tx, actor, name)
  await tx.db
    .updateTable('realm_emoji')
    .set({ deactivated: true })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  await tx.audit(actor.id, 'emoji_deactivated', { id, name })
  await emitEmoji(tx)
}

/** The event contains all emoji, so they are read after `position()`, when no other change can commit. */
async function emitEmoji(tx: Tx): Promise<void> {
  await tx.position()
  const realm_emoji = await readEmoji(tx.db, tx.realmId)
  tx.emit({ type: 'realm_emoji', op: 'update', realm_emoji }, { realm: 'everyone' })
}
