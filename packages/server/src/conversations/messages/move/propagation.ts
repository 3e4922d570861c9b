import type { PropagateMode } from '@parley/api/conversations/editing'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Editing } from '../edit/lock-for-edit.ts'
import { received } from '../model/read-state.ts'

type EditedTopic = NonNullable<Editing['place']>

/** The messages `m` of the topic that the caller may read. In a protected history, only these count and move. */
export function visibleMessages(caller: Caller, { channel, topic }: EditedTopic): Fragment {
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
