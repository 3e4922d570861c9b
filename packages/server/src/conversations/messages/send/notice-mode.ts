import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { column } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Destination } from './destination.ts'

/** How a message notifies, if not as usual. */
export type NoticeMode = 'silent' | 'anyway'

const prefix = /^@silent\s+/

/** What the sender asked for, by parameters or at the beginning of the text. */
export function noticeModeOf(request: { content: string; silent?: boolean; notify_anyway?: boolean }): {
  content: string
  mode: NoticeMode | undefined
} {
  const isSilent = request.silent === true || prefix.test(request.content)
  if (isSilent && request.notify_anyway) throw new ApiError('A silent message cannot notify anyway.')
  const content = request.content.replace(prefix, '')
  return { content, mode: isSilent ? 'silent' : request.notify_anyway ? 'anyway' : undefined }
}

export function checkNoticeMode(mode: NoticeMode | undefined, destination: Destination): void {
  if (mode === 'anyway' && destination.kind !== 'direct')
    throw new ApiError('notify_anyway is for direct messages only.')
}

/** Stores it with the message. A sender insists once per recipient and hour, together with all their bots. */
export async function storeNoticeMode(
  tx: Tx,
  { author, messageId, mode }: { author: Caller; messageId: number; mode: NoticeMode },
  userIds: number[],
): Promise<void> {
  await tx.db.insertInto('message_notices').values({ realm_id: tx.realmId, message_id: messageId, mode }).execute()
  if (mode !== 'anyway') return
  const recipients = userIds.filter((id) => id !== author.id)
  const senderId = author.bot_owner_id ?? author.id
  const allowed = await column<number>(tx.db)`
    insert into notified_anyway as n (realm_id, user_id, sender_id)
    select ${tx.realmId}, id, ${senderId} from unnest(${recipients}::bigint[]) as id order by id
    on conflict (realm_id, user_id, sender_id) do update set at = now() where n.at <= now() - interval '1 hour'
    returning user_id`
  if (allowed.length < recipients.length) throw new ApiError('You can notify the same person anyway only once an hour.')
}

export async function deleteOldInsistence(db: Tx['db']): Promise<void> {
  await sql`delete from notified_anyway where at < now() - interval '1 hour'`.execute(db)
}
