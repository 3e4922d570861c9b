import { nameLimits } from '@parley/api/limits'
import type { ParamsOf } from '@parley/api/operation'
import type { UserStatus, updateStatus } from '@parley/api/people/status'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import type { ReactionType } from '../../organization/emoji/built-in-emoji.ts'
import { checkEmoji, readEmoji } from '../../organization/emoji/named-emoji.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { lengthOf } from '../../platform/text.ts'
import { visibilityAudience } from '../users/visibility/visible-users.ts'

export type StatusParams = ParamsOf<typeof updateStatus>

const maxTextLength = nameLimits.status
export const noEmoji = { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' }

/** The validated change of text, emoji and end. `away` is a setting and is handled separately. */
export async function accessStatusChange(tx: Tx, params: StatusParams): Promise<UserStatus> {
  const { away, status_text, emoji_name, emoji_code, reaction_type, scheduled_end_time } = params
  if (
    [away, status_text, emoji_name, emoji_code, reaction_type, scheduled_end_time].every((value) => value === undefined)
  )
    throw new ApiError('Client did not pass any new values.')
  if (emoji_name === undefined && (emoji_code !== undefined || reaction_type !== undefined))
    throw new ApiError('Client must pass emoji_name if they pass either emoji_code or reaction_type.')
  const text = status_text?.trim()
  if (text !== undefined && lengthOf(text) > maxTextLength)
    throw new ApiError(`status_text is too long (limit: ${maxTextLength} characters)`)
  const emoji = emoji_name === '' ? noEmoji : emoji_name && (await accessEmoji(tx, { ...params, emoji_name }))
  const end = scheduled_end_time !== undefined && { scheduled_end_time }
  return { ...(text !== undefined && { status_text: text }), ...(emoji && emoji), ...end }
}

const types = ['unicode_emoji', 'realm_emoji', 'service_extra_emoji', 'zulip_extra_emoji']

async function accessEmoji(tx: Tx, { emoji_name, emoji_code, reaction_type }: StatusParams) {
  if (reaction_type !== undefined && !types.includes(reaction_type)) throw new ApiError('Invalid emoji type.')
  const emoji = await readEmoji(tx, {
    emoji_name: emoji_name!,
    ...(emoji_code !== undefined && { emoji_code }),
    ...(reaction_type !== undefined && { reaction_type: reaction_type as ReactionType }),
  })
  await checkEmoji(tx, emoji)
  return emoji
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
