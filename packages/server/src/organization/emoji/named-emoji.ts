import type { reactionTypes } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import { loader } from '../../events/commit/loader.ts'
import type { Tx } from '../../events/transact.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { builtInEmoji, checkBuiltIn, type Emoji, storedCode, storedType } from './built-in-emoji.ts'
import { findCustomEmojiById } from './queries.ts'

/** An emoji as a client names it. */
export interface Named {
  emoji_name: string
  emoji_code?: string
  reaction_type?: (typeof reactionTypes)[number] | 'zulip_extra_emoji'
}

/** Completes the emoji of a request: fills in omitted fields from its name. Does not check that the emoji exists. */
export async function readEmoji(tx: Tx, named: Named): Promise<Emoji> {
  const { emoji_name, emoji_code, reaction_type } = named
  if (emoji_code !== undefined && reaction_type !== undefined) {
    const type = storedType(reaction_type)
    return storedEmoji(type, emoji_name, emoji_code)
  }
  const found = await findEmoji(tx, emoji_name)
  const type = reaction_type === undefined ? found.reaction_type : storedType(reaction_type)
  return storedEmoji(type, emoji_name, emoji_code ?? found.emoji_code)
}

function storedEmoji(type: Emoji['reaction_type'], name: string, code: string): Emoji {
  return { emoji_name: storedCode(type, name), emoji_code: storedCode(type, code), reaction_type: type }
}

/** The emoji with this name. Custom emoji of the realm take precedence over built-in ones. */
export async function findEmoji(tx: Tx, name: string): Promise<Emoji> {
  const [custom] = await findCustom(tx, { name })
  if (custom) return { emoji_name: name, emoji_code: String(custom.id), reaction_type: 'realm_emoji' }
  const found = builtInEmoji(name)
  if (!found) throw new ApiError(`Emoji '${name}' does not exist`)
  return found
}

const findCustom = loader(
  { name: 'text' },
  ({ realmId }, k) => sql<{ id: number; name: string }>`
    select id, name from realm_emoji
     where realm_id = ${realmId} and name = any(array(select k.name from ${k})) and not deactivated`,
)

/** Throws unless this is an emoji that can be newly used: an active custom emoji or a built-in one, with its own name. */
export async function checkEmoji(tx: Tx, emoji: Emoji): Promise<void> {
  if (emoji.reaction_type === 'realm_emoji') await checkCustom(tx, emoji)
  else checkBuiltIn(emoji)
}

/** Throws unless the code and the name are those of an active custom emoji. */
async function checkCustom(tx: Tx, { emoji_name, emoji_code }: Emoji): Promise<void> {
  const emoji = /^[1-9]\d{0,14}$/.test(emoji_code)
    ? await findCustomEmojiById(tx.db, tx.realmId, Number(emoji_code))
    : undefined
  if (!emoji) throw new ApiError('Invalid custom emoji.')
  if (emoji.name !== emoji_name) throw new ApiError('Invalid custom emoji name.')
  if (emoji.deactivated) throw new ApiError('This custom emoji has been deactivated.')
}
