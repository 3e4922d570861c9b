import type { getMessageHistory } from '@parley/api/editing'
import type { ResponseOf } from '@parley/api/operation'
import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { unixSeconds } from '../platform/text.ts'
import type { Caller } from '../users/caller.ts'
import { accessMessage } from './access.ts'
import { type Entry, historyColumn, historyPolicy, onlyMoves, sortedHistory } from './history.ts'
import { htmlDiff } from './history-diff.ts'
import { shownTopic } from './text.ts'

type ShownVersion = ResponseOf<typeof getMessageHistory>['message_history'][number]

interface Row {
  sender_id: number
  date_sent: Date
  topic: string | null
  content: string
  rendered_content: string
  history: Entry[]
}

/** Every version of a message with what led to it, the oldest first, as far as the organization shows them. */
export async function readMessageHistory(
  db: Db,
  caller: Caller,
  id: number,
  allowsEmpty: boolean,
): Promise<ShownVersion[]> {
  const policy = historyPolicy(caller.realm)
  if (policy === 'none') throw new ApiError('Message edit history is disabled in this organization.')
  await accessMessage(db, caller, id)
  const row = await readRow(db, caller, id)
  const versions = versionsOf(row, onlyMoves(sortedHistory(row.history), policy))
  return versions.map((version) => shown(version, row.topic !== null, policy === 'all', allowsEmpty))
}

async function readRow(db: Db, { realm_id }: Caller, id: number): Promise<Row> {
  const { rows } = await sql<Row>`
    select m.sender_id, m.date_sent, t.name as topic, m.content, m.rendered_content, ${historyColumn} as history
      from messages m left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
     where m.realm_id = ${realm_id} and m.id = ${id}`.execute(db)
  return rows[0]!
}

/** Walks back from what the message is now: each edit tells what was before it. */
function versionsOf(row: Row, history: Entry[]): ShownVersion[] {
  let { topic, content, rendered_content } = { ...row, topic: row.topic ?? '' }
  const versions: ShownVersion[] = []
  for (const { number: _, resolving: __, ...entry } of history) {
    versions.push({ ...entry, topic, content, rendered_content, ...diffOf(entry, rendered_content) })
    topic = entry.prev_topic ?? topic
    content = entry.prev_content ?? content
    rendered_content = entry.prev_rendered_content ?? rendered_content
  }
  const original = { timestamp: unixSeconds(row.date_sent), user_id: row.sender_id, topic, content, rendered_content }
  return [original, ...versions.reverse()]
}

function diffOf({ prev_rendered_content }: Omit<Entry, 'number'>, rendered: string) {
  return prev_rendered_content === undefined ? {} : { content_html_diff: htmlDiff(prev_rendered_content, rendered) }
}

/** Topics as the client knows them, and content only where the organization shows it. */
function shown(version: ShownVersion, isInChannel: boolean, withContent: boolean, allowsEmpty: boolean): ShownVersion {
  const { content, rendered_content, prev_topic, topic, ...rest } = version
  return {
    ...rest,
    topic: isInChannel ? shownTopic(topic, allowsEmpty) : topic,
    ...(prev_topic !== undefined && { prev_topic: shownTopic(prev_topic, allowsEmpty) }),
    ...(withContent && { content: content!, rendered_content: rendered_content! }),
  }
}
