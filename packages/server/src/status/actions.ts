import type { ParamsOf } from '@parley/api/operation'
import type { UserStatus, updateStatus } from '@parley/api/status'
import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { matches } from '../platform/db/matches.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { lengthOf } from '../platform/text.ts'
import { readEmoji } from '../reactions/access.ts'
import { checkBuiltIn, type ReactionType } from '../reactions/emoji.ts'
import type { Caller } from '../users/caller.ts'
import { visibilityAudience } from '../users/visible-users.ts'

export type StatusParams = ParamsOf<typeof updateStatus>

const maxTextLength = 60
const noEmoji = { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' }

/** The validated change of text and emoji. `away` is a setting and is handled separately. */
export async function accessStatusChange(tx: Tx, params: StatusParams): Promise<UserStatus> {
  const { away, status_text, emoji_name, emoji_code, reaction_type } = params
  if ([away, status_text, emoji_name, emoji_code, reaction_type].every((value) => value === undefined))
    throw new ApiError('Client did not pass any new values.')
  if (emoji_name === undefined && (emoji_code !== undefined || reaction_type !== undefined))
    throw new ApiError('Client must pass emoji_name if they pass either emoji_code or reaction_type.')
  const text = status_text?.trim()
  if (text !== undefined && lengthOf(text) > maxTextLength)
    throw new ApiError(`status_text is too long (limit: ${maxTextLength} characters)`)
  const emoji = emoji_name === '' ? noEmoji : emoji_name && (await accessEmoji(tx, { ...params, emoji_name }))
  return { ...(text !== undefined && { status_text: text }), ...(emoji && emoji) }
}

const types = ['unicode_emoji', 'realm_emoji', 'service_extra_emoji', 'zulip_extra_emoji']

async function accessEmoji(tx: Tx, { emoji_name, emoji_code, reaction_type }: StatusParams) {
  if (reaction_type !== undefined && !types.includes(reaction_type)) throw new ApiError('Invalid emoji type.')
  const emoji = await readEmoji(tx, {
    emoji_name: emoji_name!,
    ...(emoji_code !== undefined && { emoji_code }),
    ...(reaction_type !== undefined && { reaction_type: reaction_type as ReactionType }),
  })
  if (emoji.reaction_type !== 'realm_emoji') checkBuiltIn(emoji)
  else if (emoji_code !== undefined) await checkCustom(tx, emoji)
  return emoji
}

/** The code of a custom emoji must belong to the emoji of that name. */
async function checkCustom(tx: Tx, emoji: { emoji_name: string; emoji_code: string }): Promise<void> {
  const found = await readEmoji(tx, { emoji_name: emoji.emoji_name })
  if (found.emoji_code !== emoji.emoji_code) throw new ApiError('Invalid custom emoji.')
}

export async function changeStatus(tx: Tx, caller: Caller, change: UserStatus): Promise<void> {
  const columns = Object.keys(change)
  if (columns.length === 0) return
  const values = Object.values(change)
  const names = sql.join(columns.map((name) => sql.ref(name)))
  await sql`
    insert into user_statuses (realm_id, user_id, ${names})
    values (${tx.realmId}, ${caller.id}, ${sql.join(values)})
    on conflict (realm_id, user_id) do update
       set ${sql.join(columns.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`))}`.execute(tx.db)
  const empty = matches({ realm_id: tx.realmId, user_id: caller.id, status_text: '', emoji_name: '' })
  await tx.db.deleteFrom('user_statuses').where(empty).execute()
}

/** Emits the change to everyone who can see the caller. */
export async function emitStatus(tx: Tx, caller: Caller, change: UserStatus): Promise<void> {
  if (Object.keys(change).length === 0) return
  tx.emit({ type: 'user_status', user_id: caller.id, ...change }, await visibilityAudience(tx.db, caller.realm, caller))
}
