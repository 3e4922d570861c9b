import type { messageDetails } from '@parley/api/events'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Tx } from '../../events/transact.ts'
import { many } from '../../platform/db/query.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import { hasFlag, isMuted, isWildcardMention, personalJoins } from '../messages/model/read-state.ts'
import { topicOfMessage } from '../messages/model/topic-spelling.ts'
import { type Marks, markRows, marksOf } from './marks.ts'

type DetailRow = { id: number; is_muted: boolean; is_mentioned: boolean } & (
  | { channel_id: number; topic: string; user_ids: null }
  | { channel_id: null; topic: null; user_ids: number[] }
)

/** What clients need to count messages as unread again without having loaded them. */
export async function readMessageDetails(tx: Tx, own: Marks): Promise<Static<typeof messageDetails>> {
  const reader = { id: sql`k.user_id`, realm_id: tx.realmId }
  const byName = hasFlag(flagBits.mentioned)
  const byWildcard = sql`(${hasFlag(flagBits.topic_wildcard_mentioned)} or ${isWildcardMention(reader)})`
  const rows = await many<DetailRow>(tx.db)`
    select m.id, m.channel_id, ${topicOfMessage} as topic, array_remove(g.user_ids, k.user_id) as user_ids,
           ${isMuted(reader)} as is_muted, ${byName} or (${byWildcard} and not ${isMuted(reader)}) as is_mentioned
      from ${markRows('k', marksOf(own))} join messages m on m.realm_id = ${tx.realmId} and m.id = k.message_id
      left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      left join direct_conversations g on g.realm_id = m.realm_id and g.recipient_id = m.recipient_id
      ${personalJoins(reader)}
     order by m.id`
  return Object.fromEntries(rows.map((row) => [row.id, detailOf(row)]))
}

function detailOf({ channel_id, topic, user_ids, is_muted, is_mentioned }: DetailRow) {
  const mentioned = is_mentioned ? { mentioned: true } : {}
  if (channel_id === null) return { type: 'private' as const, user_ids, ...mentioned }
  return {
    type: 'stream' as const,
    stream_id: channel_id,
    topic,
    unmuted_stream_msg: !is_muted,
    ...mentioned,
  }
}
