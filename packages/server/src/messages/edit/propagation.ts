import type { PropagateMode } from '@parley/api/editing'
import { sql } from 'kysely'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'
import type { Caller } from '../../users/caller.ts'
import { received } from '../model/read-state.ts'
import type { Editing } from './lock-for-edit.ts'

type Place = NonNullable<Editing['place']>

/** The messages `m` of the topic that the caller may read. In a protected history, only these count and move. */
export function visibleMessages(caller: Caller, { channel, topic }: Place): Fragment {
  const ofTopic = sql`m.realm_id = ${caller.realm_id} and m.topic_id = ${topic.id}`
  if (channel.history_public_to_subscribers) return sql`from messages m where ${ofTopic}`
  return sql`
    from messages m
    left join message_flags f on f.realm_id = m.realm_id and f.user_id = ${caller.id} and f.message_id = m.id
    where ${ofTopic} and ${received(caller)}`
}

/** Conditions on `m`: the messages that each propagate mode selects, given the id of the edited message. */
export const inMode = {
  change_one: (id: number) => sql`m.id = ${id}`,
  change_later: (id: number) => sql`m.id >= ${id}`,
  change_all: () => sql`true`,
} satisfies Record<PropagateMode, (id: number) => Fragment>

/** Whether the mode selects every message of the topic that the caller may read. */
export async function selectsWholeTopic(
  db: Db,
  caller: Caller,
  { message, place }: Editing,
  mode: PropagateMode,
): Promise<boolean> {
  if (mode === 'change_all') return true
  const found = await exists(db)`
    select 1 ${visibleMessages(caller, place!)} and not (${inMode[mode](message.id)}) limit 1`
  return !found
}
