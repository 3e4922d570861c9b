import type { MessageObject } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import { shownTopic, topicKey } from './normalize-text.ts'

type ShownEntry = NonNullable<MessageObject['edit_history']>[number]

/** One edit of a message, as it is stored. The topic's part and the message's part of one edit share a number. */
export interface Entry extends ShownEntry {
  number: number
  /** The topic was only resolved or unresolved, which does not count as a move. */
  resolving?: true
  /** The content was changed, but its previous text was left out because the answer would be too large. */
  is_edit?: true
}

/** The rows of the topic's history that apply to message `m`. */
export const topicRows: Fragment = sql`
  from topic_history h where h.realm_id = m.realm_id and h.topic_id = m.topic_id and h.number > m.topic_since
   and m.id <= h.up_to_message`

/** The entries of the topic's history that apply to message `m`. */
export const topicShare: Fragment = sql`coalesce((select jsonb_agg(h.entry) ${topicRows}), '[]')`

/** Every edit of message `m`, unsorted; sortedHistory merges and sorts them. */
export const historyColumn: Fragment = sql`coalesce(m.edit_history, '[]') || ${topicShare}`

/** The same, cut to the number of edits that we keep: old messages may have more. */
export const boundedHistoryColumn: Fragment = sql`trim_edits(coalesce(m.edit_history, '[]')) || ${topicShare}`

/** An answer contains this much of the histories of its messages. */
export const maxHistoryBytes = 1_000_000

/**
 * The messages of a page whose histories are read as a whole, newest first: about `maxHistoryBytes`. The sizes on disk
 * leave out most of the others before their histories are decompressed and counted.
 */
export function wholeHistories(messages: Fragment): Fragment {
  const limit = sql.lit(maxHistoryBytes)
  return sql`
    select id from (
      select m.id, h.bytes, sum(h.bytes) over (order by m.id desc) as total
        from (select realm_id, id, topic_id, topic_since, edit_history, coalesce(pg_column_size(edit_history), 0) as stored,
                     coalesce(sum(pg_column_size(edit_history)) over (order by id desc), 0) as stored_total
                from messages where ${messages}) m
       cross join lateral (select octet_length((${historyColumn})::text) as bytes) h
       where m.stored_total - m.stored < ${limit} and (m.edit_history is not null or exists (select 1 ${topicRows}))) h
     where total - bytes < ${limit}`
}

/** Of the other messages, this many of the newest edits are shown, plus the newest content edit and the newest move. */
const maxListedVersions = sql.lit(10)

/** The history of message `m`. Without its texts, and with few edits, unless it is in `whole`. Null for most messages. */
export const listedHistoryColumn: Fragment = sql`
  case when m.edit_history is null and not exists (select 1 ${topicRows}) then null
       when m.id in (select id from whole) then ${historyColumn}
       else (
    select jsonb_agg(case when is_edit then entry - 'prev_content' - 'prev_rendered_content' || '{"is_edit": true}'
                          else entry end)
      from (select entry, is_edit, is_move,
                   dense_rank() over (order by number desc) as place,
                   row_number() over (partition by is_edit order by number desc) as place_by_edit,
                   row_number() over (partition by is_move order by number desc) as place_by_move
              from (select entry, (entry -> 'number')::bigint as number, entry ? 'prev_content' as is_edit,
                           entry ? 'prev_stream' or entry ? 'prev_topic' and not entry ? 'resolving' as is_move
                      from jsonb_array_elements(${historyColumn}) entry) e) e
     where place <= ${maxListedVersions} or is_edit and place_by_edit = 1 or is_move and place_by_move = 1) end`

/** Removes the texts that do not fit into an answer, those of the oldest messages and edits first. */
export function limitHistories<Row extends { history: Entry[] | null }>(rows: Row[]): Row[] {
  let bytes = 0
  const limited = rows.toReversed().map((row) => {
    if (!row.history) return row
    const history = sortedHistory(row.history).map((entry) => {
      bytes += Buffer.byteLength(JSON.stringify(entry))
      return bytes <= maxHistoryBytes ? entry : withoutTexts(entry)
    })
    return { ...row, history }
  })
  return limited.reverse()
}

function withoutTexts({ prev_content, prev_rendered_content: _, ...entry }: Entry): Entry {
  return prev_content === undefined ? entry : { ...entry, is_edit: true }
}

/** The edits, newest first, with the parts of each edit merged. */
export function sortedHistory(entries: Entry[]): Entry[] {
  const byNumber = new Map<number, Entry>()
  for (const entry of entries) byNumber.set(entry.number, { ...byNumber.get(entry.number), ...entry })
  return [...byNumber.values()].sort((a, b) => b.number - a.number)
}

/** Neither resolving a topic nor changing the case of its name counts as moving its messages. */
export function isMove({ prev_stream, prev_topic, topic, resolving }: Entry): boolean {
  if (prev_stream !== undefined) return true
  return prev_topic !== undefined && !resolving && topicKey(prev_topic) !== topicKey(topic!)
}

type Policy = 'all' | 'moves' | 'none'

export function historyPolicy({ settings }: Realm): Policy {
  return settings.message_edit_history_visibility_policy
}

/** What message lists show about edits. The timestamps of the last edit and move are shown under every policy. */
export function changesOf(
  realm: Realm,
  entries: Entry[],
  allowsEmpty: boolean,
): Pick<MessageObject, 'edit_history' | 'last_edit_timestamp' | 'last_moved_timestamp'> {
  if (entries.length === 0) return {}
  const history = sortedHistory(entries)
  const edited = history.find(({ prev_content, is_edit }) => prev_content !== undefined || is_edit)
  const moved = history.find(isMove)
  const shown = shownEntries(history, historyPolicy(realm), allowsEmpty)
  return {
    ...(shown.length > 0 && { edit_history: shown }),
    ...(edited && { last_edit_timestamp: edited.timestamp }),
    ...(moved && { last_moved_timestamp: moved.timestamp }),
  }
}

function shownEntries(history: Entry[], policy: Policy, allowsEmpty: boolean): ShownEntry[] {
  if (policy === 'none') return []
  return onlyMoves(history, policy).map(({ number: _, resolving: __, is_edit: ___, ...entry }) =>
    withShownTopics(entry, allowsEmpty),
  )
}

/** The policy `moves` hides content edits and earlier content. */
export function onlyMoves(history: Entry[], policy: Policy): Entry[] {
  if (policy !== 'moves') return history
  return history
    .filter(({ prev_topic, prev_stream }) => prev_topic !== undefined || prev_stream !== undefined)
    .map(({ prev_content: _, prev_rendered_content: __, ...entry }) => entry)
}

function withShownTopics(entry: ShownEntry, allowsEmpty: boolean): ShownEntry {
  if (entry.prev_topic === undefined) return entry
  return {
    ...entry,
    prev_topic: shownTopic(entry.prev_topic, allowsEmpty),
    topic: shownTopic(entry.topic!, allowsEmpty),
  }
}
