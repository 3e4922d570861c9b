import type { CustomEmojiObject } from '@parley/api/organization/emoji'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'

/** The public URL of the image. It never refers to another image. */
export function emojiUrl(realmId: number, fileName: string): string {
  return `/user_avatars/${realmId}/emoji/images/${fileName}`
}

/** All custom emoji. Includes deactivated ones, which old messages and reactions need. */
export async function readEmoji(db: Db, realmId: number): Promise<Record<string, CustomEmojiObject>> {
  const rows = await db
    .selectFrom('realm_emoji')
    .select(['id', 'name', 'author_id', 'file_name', 'still_file_name', 'deactivated'])
    .where('realm_id', '=', realmId)
    .orderBy('id')
    .execute()
  return Object.fromEntries(
    rows.map(({ id, name, author_id, file_name, still_file_name, deactivated }) => [
      String(id),
      {
        id: String(id),
        name,
        source_url: emojiUrl(realmId, file_name),
        still_url: still_file_name === null ? null : emojiUrl(realmId, still_file_name),
        deactivated,
        author_id,
      },
    ]),
  )
}

/** The active custom emoji among the names. */
export async function findCustomEmoji(
  db: Db,
  realmId: number,
  names: string[],
): Promise<{ id: number; name: string; source_url: string }[]> {
  if (names.length === 0) return []
  const rows = await db
    .selectFrom('realm_emoji')
    .select(['id', 'name', 'file_name'])
    .where(matches({ realm_id: realmId, name: names, deactivated: false }))
    .execute()
  return rows.map(({ id, name, file_name }) => ({ id, name, source_url: emojiUrl(realmId, file_name) }))
}

export async function findCustomEmojiById(
  db: Db,
  realmId: number,
  id: number,
): Promise<{ name: string; deactivated: boolean } | undefined> {
  return db
    .selectFrom('realm_emoji')
    .select(['name', 'deactivated'])
    .where(matches({ realm_id: realmId, id }))
    .executeTakeFirst()
}
