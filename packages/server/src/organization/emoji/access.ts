import { isAdmin } from '@parley/api/permissions'
import { emojiCode, extraEmoji } from '@parley/markdown/inline/emoji'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** The user who adds or deactivates an emoji. */
export interface EmojiActor {
  id: number
  role: number
}

export class EmojiExists extends ApiError {
  constructor() {
    super('A custom emoji with this name already exists.')
  }
}

const maxNameLength = 100

/** Validates the name of a new emoji and returns it in stored form. */
export function checkName(actor: EmojiActor, given: string): string {
  const name = given.trim().replaceAll(' ', '_')
  if (name === '') throw new ApiError('Emoji name is missing')
  if (!/^[0-9a-z_-]*[0-9a-z]$/.test(name))
    throw new ApiError(
      'Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores, and end with a letter or a digit.',
    )
  if (name.length > maxNameLength) throw new ApiError(`Emoji names can have at most ${maxNameLength} characters.`)
  const isBuiltIn = emojiCode(name) !== undefined || extraEmoji.has(name)
  if (isBuiltIn && !isAdmin(actor))
    throw new ApiError('You must be an organization administrator to override built-in emoji.')
  return name
}

/** The id of the active emoji with this name. Throws unless the actor may deactivate it. */
export async function accessOwnEmoji(tx: Tx, actor: EmojiActor, name: string): Promise<number> {
  const emoji = await tx.db
    .selectFrom('realm_emoji')
    .select(['id', 'author_id'])
    .where(matches({ realm_id: tx.realmId, name, deactivated: false }))
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!emoji) throw new ApiError(`Emoji '${name}' does not exist`, 'BAD_REQUEST', { status: 404 })
  if (!isAdmin(actor) && emoji.author_id !== actor.id)
    throw new ApiError('Must be an organization administrator or emoji author')
  return emoji.id
}
