import { storageLimits } from '@parley/api/limits'
import type { reactionTypes } from '@parley/api/messages'
import { sql } from 'kysely'
import { findCustomEmoji, findCustomEmojiById } from '../emoji/queries.ts'
import type { Db } from '../platform/db/pool.ts'
import { one } from '../platform/db/query.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'
import { builtInEmoji, checkBuiltIn, type Emoji, storedCode, storedType } from './emoji.ts'

/** An emoji as a client names it. */
export interface Named {
  emoji_name: string
  emoji_code?: string
  reaction_type?: (typeof reactionTypes)[number] | 'zulip_extra_emoji'
}

/** Completes the emoji of a request: fills in omitted fields from its name. Does not check that the emoji exists. */
export async function readEmoji(db: Db, caller: Caller, named: Named): Promise<Emoji> {
  const { emoji_name, emoji_code, reaction_type } = named
  if (emoji_code !== undefined && reaction_type !== undefined) {
    const type = storedType(reaction_type)
    return storedEmoji(type, emoji_name, emoji_code)
  }
  const found = await findEmoji(db, caller, emoji_name)
  const type = reaction_type === undefined ? found.reaction_type : storedType(reaction_type)
  return storedEmoji(type, emoji_name, emoji_code ?? found.emoji_code)
}

function storedEmoji(type: Emoji['reaction_type'], name: string, code: string): Emoji {
  return { emoji_name: storedCode(type, name), emoji_code: storedCode(type, code), reaction_type: type }
}

/** The emoji with this name. Custom emoji of the realm take precedence over built-in ones. */
export async function findEmoji(db: Db, { realm_id }: Caller, name: string): Promise<Emoji> {
  const [custom] = await findCustomEmoji(db, realm_id, [name])
  if (custom) return { emoji_name: name, emoji_code: String(custom.id), reaction_type: 'realm_emoji' }
  const found = builtInEmoji(name)
  if (!found) throw new ApiError(`Emoji '${name}' does not exist`)
  return found
}

export class ReactionAlreadyExists extends ApiError {
  constructor() {
    super('Reaction already exists.', 'REACTION_ALREADY_EXISTS')
  }
}

/**
 * The emoji to store for a reaction that the caller does not have yet. If the message already has this reaction, its name
 * is used, and the emoji may have been deactivated since. The first reaction with an emoji needs a valid emoji.
 */
export async function accessEmoji(db: Db, caller: Caller, messageId: number, emoji: Emoji): Promise<Emoji> {
  const { name, isOwn, total } = await readExisting(db, caller, messageId, emoji)
  if (isOwn) throw new ReactionAlreadyExists()
  if (name !== null) return { ...emoji, emoji_name: name }
  checkEmojiLimit(total)
  if (emoji.reaction_type === 'realm_emoji') await checkCustom(db, caller, emoji)
  else checkBuiltIn(emoji)
  return emoji
}

/** The name of the emoji among the reactions to a message, whether the caller has reacted with it, and how many there are. */
async function readExisting(db: Db, { realm_id, id }: Caller, messageId: number, emoji: Emoji) {
  const isSame = sql`reaction_type = ${emoji.reaction_type} and emoji_code = ${emoji.emoji_code}`
  return one<{ name: string | null; isOwn: boolean; total: number }>(db)`
    select (array_agg(emoji_name order by created_at) filter (where ${isSame}))[1] as name,
           coalesce(bool_or(${isSame} and user_id = ${id}), false) as "isOwn",
           count(distinct (reaction_type, emoji_code)) as total
      from reactions where realm_id = ${realm_id} and message_id = ${messageId}`
}

function checkEmojiLimit(total: number): void {
  if (total >= storageLimits.emojiPerMessage)
    throw new ApiError(
      `A message can have at most ${storageLimits.emojiPerMessage} different reactions. Choose one of the existing reactions.`,
    )
}

/** Throws unless the code and the name are those of an active custom emoji. */
async function checkCustom(db: Db, { realm_id }: Caller, { emoji_name, emoji_code }: Emoji): Promise<void> {
  const emoji = /^[1-9]\d{0,14}$/.test(emoji_code)
    ? await findCustomEmojiById(db, realm_id, Number(emoji_code))
    : undefined
  if (!emoji) throw new ApiError('Invalid custom emoji.')
  if (emoji.name !== emoji_name) throw new ApiError('Invalid custom emoji name.')
  if (emoji.deactivated) throw new ApiError('This custom emoji has been deactivated.')
}
