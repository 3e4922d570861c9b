import type { PropagateMode } from '@parley/api/editing'
import type { Channel } from '../../channels/access.ts'
import { topicKey } from '../model/text.ts'
import type { Topic } from './lock-for-edit.ts'
import type { MoveAudience } from './move-audience.ts'

export interface Place {
  channel: Channel
  topic: Topic
}

interface Endpoints {
  from: Place
  to: { channel: Channel; topic: Pick<Topic, 'name'> }
}

/** Whether the topic stays what it is and only changes the case of its letters. */
export function isRespelling({ from, to }: Endpoints): boolean {
  return from.channel.id === to.channel.id && topicKey(from.topic.name) === topicKey(to.topic.name)
}

/** 0: none of one's own. */
export type Policy = 0 | 1 | 2 | 3

/** What people decided about the topic that moves and about the one it comes to. */
export interface Policies {
  source: Map<number, Policy>
  target: Map<number, Policy>
  /** Since when they have those about the target. */
  since: Map<number, Date>
}

/** What was moved where, and what has to be told of it. */
export interface Move {
  ids: number[]
  mode: PropagateMode
  from: Place
  to: Place
  /** Nothing that the caller can see stays behind. */
  isWhole: boolean
  /** The topic was there before, with messages. */
  joins: boolean
  /** The topic was only resolved or reopened. */
  resolving: boolean
  /** If they went to another channel. */
  audience: MoveAudience | undefined
  policies: Policies
  /** Channels whose oldest message is now another. */
  firsts: { channel: Channel; first: number | null }[]
}
