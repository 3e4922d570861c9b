import { storageLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { loader } from '../../events/commit/loader.ts'
import type { Tx } from '../../events/transact.ts'
import type { Emoji } from '../../organization/emoji/built-in-emoji.ts'
import { checkEmoji } from '../../organization/emoji/named-emoji.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** What identifies a reaction. */
export const reactionColumns = {
  message_id: 'bigint',
  user_id: 'bigint',
  reaction_type: 'text',
  emoji_code: 'text',
} as const

export class ReactionAlreadyExists extends ApiError {
  constructor() {
    super('Reaction already exists.', 'REACTION_ALREADY_EXISTS')
  }
}

/**
 * The emoji to store for a reaction that the caller does not have yet. If the message already has this reaction, its name
 * is used, and the emoji may have been deactivated since. The first reaction with an emoji needs a valid emoji.
 */
export async function accessEmoji(tx: Tx, caller: Caller, messageId: number, emoji: Emoji): Promise<Emoji> {
  const [existing] = await readExisting(tx, { ...emoji, message_id: messageId, user_id: caller.id })
  const { name, isOwn, total } = existing!
  if (isOwn) throw new ReactionAlreadyExists()
  if (name !== null) return { ...emoji, emoji_name: name }
  checkEmojiLimit(total)
  await checkEmoji(tx, emoji)
  return emoji
}

interface Existing {
  name: string | null
  isOwn: boolean
  total: number
}

/** The name of the emoji among the reactions to a message, whether the user has reacted with it, and how many there are. */
const readExisting = loader(reactionColumns, ({ realmId }, k) => {
  const isSame = sql`r.reaction_type = k.reaction_type and r.emoji_code = k.emoji_code`
  return sql<Existing>`
    select k.place, (array_agg(r.emoji_name order by r.created_at) filter (where ${isSame}))[1] as name,
           coalesce(bool_or(${isSame} and r.user_id = k.user_id), false) as "isOwn",
           count(distinct (r.reaction_type, r.emoji_code)) filter (where r.message_id is not null) as total
      from ${k} left join reactions r on r.realm_id = ${realmId} and r.message_id = k.message_id
     group by k.place`
})

function checkEmojiLimit(total: number): void {
  if (total >= storageLimits.emojiPerMessage)
    throw new ApiError(
      `A message can have at most ${storageLimits.emojiPerMessage} different reactions. Choose one of the existing reactions.`,
    )
}
