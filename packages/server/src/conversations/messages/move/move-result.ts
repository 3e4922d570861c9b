import type { PropagateMode } from '@parley/api/conversations/editing'
import type { Channel } from '../../channels/access.ts'
import type { Topic } from '../edit/lock-for-edit.ts'
import { topicKey } from '../model/normalize-text.ts'
import type { Policy } from '../model/topic-policy.ts'
import type { MoveAudience } from './move-audience.ts'

export interface TopicInChannel {
  channel: Channel
  topic: Topic
}

interface Endpoints {
  from: TopicInChannel
  to: { channel: Channel; topic: Pick<Topic, 'name'> }
}

/** Whether the move only changes the case of letters in the topic name. */
export function isRespelling({ from, to }: Endpoints): boolean {
  return from.channel.id === to.channel.id && topicKey(from.topic.name) === topicKey(to.topic.name)
}

/** The users' policies for the topic that moves and for the target topic, by user id. */
export interface Policies {
  source: Map<number, Policy>
  target: Map<number, Policy>
  /** When the policies for the target topic were last updated. */
  since: Map<number, Date>
}

/** A finished move, with what the events and notices about it need. */
export interface Move {
  ids: number[]
  /** The number of messages that moved; more than `ids` if the move was done in parts. */
  count: number
  /** How many messages a move in parts will move, as far as is known. */
  total?: number
  mode: PropagateMode
  from: TopicInChannel
  to: TopicInChannel
  /** Whether all messages of the topic that the caller can read moved. */
  isWhole: boolean
  /** Whether the target topic already had messages. */
  joins: boolean
  /** Whether the caller could read some of these. Notices must not reveal messages that the caller cannot read. */
  knowsTarget: boolean
  /** Whether the topic was only resolved or reopened. */
  resolving: boolean
  /** Undefined unless the messages moved to another channel. */
  audience: MoveAudience | undefined
  policies: Policies
  /** Channels whose oldest message changed. */
  firsts: { channel: Channel; first: number | null }[]
}
