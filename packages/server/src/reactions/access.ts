import { storageLimits } from '@parley/api/limits'
import type { reactionTypes } from '@parley/api/messages'
import { sql } from 'kysely'
import { findCustomEmoji, findCustomEmojiById } from '../emoji/queries.ts'
import { sharedStep } from '../events/shared-step.ts'
import type { Tx } from '../events/transact.ts'
import type { Db } from '../platform/db/pool.ts'
import { many } from '../platform/db/query.ts'
import { valueRows } from '../platform/db/value-rows.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'
import { builtInEmoji, checkBuiltIn, type Emoji, storedCode, storedType } from './emoji.ts'

/** What identifies a reaction. */
export const reactionColumns = {
  message_id: 'bigint',
  user_id: 'bigint',
  reaction_type: 'text',
  emoji_code: 'text',
} as const

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
  const custom = await findCustom(tx, name)
  if (custom) return { emoji_name: name, emoji_code: String(custom.id), reaction_type: 'realm_emoji' }
  const found = builtInEmoji(name)
  if (!found) throw new ApiError(`Emoji '${name}' does not exist`)
  return found
}

const findCustom = sharedStep(async (tx, names: string[]) => {
  const found = await findCustomEmoji(tx.db, tx.realmId, names)
  return names.map((name) => found.find((emoji) => emoji.name === name))
})

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
  const { name, isOwn, total } = await readExisting(tx, { ...emoji, message_id: messageId, user_id: caller.id })
  if (isOwn) throw new ReactionAlreadyExists()
  if (name !== null) return { ...emoji, emoji_name: name }
  checkEmojiLimit(total)
  if (emoji.reaction_type === 'realm_emoji') await checkCustom(tx.db, caller, emoji)
  else checkBuiltIn(emoji)
  return emoji
}

interface Existing {
  name: string | null
  isOwn: boolean
  total: number
}

/** The name of the emoji among the reactions to a message, whether the user has reacted with it, and how many there are. */
const readExisting = sharedStep(async (tx, asked: (Emoji & { message_id: number; user_id: number })[]) => {
  const keys = asked.map((key, place) => ({ ...key, place }))
  const isSame = sql`r.reaction_type = k.reaction_type and r.emoji_code = k.emoji_code`
  return many<Existing>(tx.db)`
    select (array_agg(r.emoji_name order by r.created_at) filter (where ${isSame}))[1] as name,
           coalesce(bool_or(${isSame} and r.user_id = k.user_id), false) as "isOwn",
           count(distinct (r.reaction_type, r.emoji_code)) filter (where r.message_id is not null) as total
      from ${valueRows('k', keys, { ...reactionColumns, place: 'integer' })}
      left join reactions r on r.realm_id = ${tx.realmId} and r.message_id = k.message_id
     group by k.place order by k.place`
})

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
