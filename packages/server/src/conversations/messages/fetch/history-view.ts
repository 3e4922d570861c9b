import type { getMessageHistory } from '@parley/api/conversations/editing'
import type { ResponseOf } from '@parley/api/operation'
import type { Caller } from '../../../callers/caller.ts'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { unixSeconds } from '../../../platform/text.ts'
import { accessMessage } from '../model/access.ts'
import { boundedHistoryColumn, type Entry, historyPolicy, onlyMoves, sortedHistory } from '../model/edit-history.ts'
import { shownTopic } from '../model/normalize-text.ts'
import { topicOfMessage } from '../model/topic-spelling.ts'
import type { Renderer } from '../rendering/renderer.ts'

type ShownVersion = ResponseOf<typeof getMessageHistory>['message_history'][number]

interface Row {
  sender_id: number
  date_sent: Date
  topic: string | null
  content: string
  rendered_content: string
  history: Entry[]
}

/** The versions of a message, oldest first, as far as the organization's history policy shows them. */
export async function readMessageHistory(
  { db, renderer }: Pick<Context, 'db' | 'renderer'>,
  caller: Caller,
  id: number,
  allowsEmpty: boolean,
): Promise<ShownVersion[]> {
  const policy = historyPolicy(caller.realm)
  if (policy === 'none') throw new ApiError('Message edit history is disabled in this organization.')
  await accessMessage(db, caller, id)
  const row = await readRow(db, caller, id)
  const versions = versionsOf(row, onlyMoves(sortedHistory(row.history), policy))
  return (await withDiffs(renderer, caller, withinLimit(versions))).map((version) =>
    shown(version, row.topic !== null, policy === 'all', allowsEmpty),
  )
}

async function readRow(db: Db, { realm_id }: Caller, id: number): Promise<Row> {
  return one<Row>(db)`
    select m.sender_id, m.date_sent, ${topicOfMessage} as topic, m.content, m.rendered_content, 
           ${boundedHistoryColumn} as history
      from messages m left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
     where m.realm_id = ${realm_id} and m.id = ${id}`
}

/** Walks back from the current version: each history entry has the values before its edit. */
function versionsOf(row: Row, history: Entry[]): ShownVersion[] {
  let { topic, content, rendered_content } = { ...row, topic: row.topic ?? '' }
  const versions: ShownVersion[] = []
  for (const { number: _, resolving: __, ...entry } of history) {
    versions.push({ ...entry, topic, content, rendered_content })
    topic = entry.prev_topic ?? topic
    content = entry.prev_content ?? content
    rendered_content = entry.prev_rendered_content ?? rendered_content
  }
  const original = { timestamp: unixSeconds(row.date_sent), user_id: row.sender_id, topic, content, rendered_content }
  return [original, ...versions.reverse()]
}

/** More than all edits that we keep. */
const maxCharacters = 5_000_000

/** Moves repeat the text of the version before. If there are too many, the oldest are shown without it. */
function withinLimit(versions: ShownVersion[]): ShownVersion[] {
  let characters = 0
  const limited = versions.toReversed().map((version) => {
    characters += sizeOf(version)
    const hasOwnText = version === versions[0] || version.prev_content !== undefined
    if (hasOwnText || characters <= maxCharacters) return version
    const { content: _, rendered_content: __, ...move } = version
    return move
  })
  return limited.reverse()
}

function sizeOf({ content, rendered_content, prev_content, prev_rendered_content }: ShownVersion): number {
  const texts = [content, rendered_content, prev_content, prev_rendered_content]
  return texts.reduce((sum, text = '') => sum + text.length, 0)
}

/** Adds `content_html_diff` to every version that changed the content. */
async function withDiffs(renderer: Renderer, caller: Caller, versions: ShownVersion[]): Promise<ShownVersion[]> {
  const edited = versions.filter(({ prev_rendered_content }) => prev_rendered_content !== undefined)
  const diffs = await renderer.diff(
    caller,
    edited.map(({ prev_rendered_content, rendered_content }) => [prev_rendered_content!, rendered_content!]),
  )
  const diffOf = new Map(edited.map((version, index) => [version, diffs[index]!]))
  return versions.map((version) => {
    const content_html_diff = diffOf.get(version)
    return content_html_diff === undefined ? version : { ...version, content_html_diff }
  })
}

/** Shows topic names as the client supports them, and content only if the policy allows it. */
function shown(version: ShownVersion, isInChannel: boolean, withContent: boolean, allowsEmpty: boolean): ShownVersion {
  const { content, rendered_content, prev_topic, topic, ...rest } = version
  return {
    ...rest,
    topic: isInChannel ? shownTopic(topic, allowsEmpty) : topic,
    ...(prev_topic !== undefined && { prev_topic: shownTopic(prev_topic, allowsEmpty) }),
    ...(withContent && content !== undefined && { content, rendered_content: rendered_content! }),
  }
}
