import type { Row } from '../rows/row-values.ts'
import type { Conversations } from './message-places.ts'
import type { Periods } from './periods.ts'
import type { ReadPositions } from './read-positions.ts'
import type { TopicRows } from './topic-rows.ts'
import type { Tables } from './zulip-tables.ts'

/** What is known of the whole file after it was read once. */
export interface KnownExport {
  tables: Tables
  conversations: Conversations
  topics: TopicRows
  periods: Periods
  positions: ReadPositions
  attachments: Row[]
  clients: Map<unknown, string>
  /** The people of each conversation with messages. */
  direct: Map<string, number[]>
  lastMessage: number
}
