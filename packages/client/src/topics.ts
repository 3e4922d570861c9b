import type { QueueEvent } from '@parley/api/events'
import type { Channels } from './channels.ts'
import type { Slice, State, TopicState } from './state.ts'

const policies = { muted: 1, unmuted: 2, followed: 3 } as const

type UserTopic = TopicState['user_topics'][number]

/** The viewer's visibility policies for topics. */
export class Topics implements Slice {
  readonly fields = ['user_topics', 'muted_topics'] as const
  readonly #channels: Channels
  readonly #policies: Map<string, UserTopic>
  #muted: TopicState['muted_topics']

  constructor({ user_topics = [], muted_topics = [] }: State, channels: Channels) {
    this.#channels = channels
    this.#muted = muted_topics
    this.#policies = new Map(user_topics.map((topic) => [topicKey(topic.stream_id, topic.topic_name), topic]))
  }

  apply(event: QueueEvent): void {
    if (event.type === 'muted_topics') this.#muted = event.muted_topics
    if (event.type === 'stream' && event.op === 'update' && event.property === 'name')
      this.#rename(event.name, String(event.value))
    if (event.type !== 'user_topic') return
    const { stream_id, topic_name, last_updated, visibility_policy } = event
    const key = topicKey(stream_id, topic_name)
    if (visibility_policy === 0) this.#policies.delete(key)
    else this.#policies.set(key, { stream_id, topic_name, last_updated, visibility_policy })
  }

  /** The legacy list names channels instead of their ids. */
  #rename(before: string, now: string): void {
    this.#muted = this.#muted.map(([channel, ...topic]) => [channel === before ? now : channel, ...topic])
  }

  /** 1 muted, 2 unmuted, 3 followed, 0 nothing. */
  policyOf(streamId: number, topic: string): number {
    return this.#policies.get(topicKey(streamId, topic))?.visibility_policy ?? 0
  }

  /** Whether the topic is muted. The policy for the topic takes precedence over the channel. */
  isMuted(streamId: number, topic: string): boolean {
    const policy = this.#policies.get(topicKey(streamId, topic))?.visibility_policy
    if (policy === policies.muted) return true
    if (policy === policies.unmuted || policy === policies.followed) return false
    return this.#channels.subscribed.get(streamId)?.is_muted ?? false
  }

  /** The topics that the viewer follows, the latest first. */
  followed(): UserTopic[] {
    return [...this.#policies.values()]
      .filter(({ visibility_policy }) => visibility_policy === policies.followed)
      .sort((a, b) => b.last_updated - a.last_updated)
  }

  snapshot(): TopicState {
    const user_topics = [...this.#policies.values()].sort(byPlace)
    return { user_topics, muted_topics: this.#muted }
  }
}

/** Topic names are case-insensitive. */
export function topicKey(streamId: number, topic: string): string {
  return `${streamId} ${topic.toLowerCase()}`
}

function byPlace(a: UserTopic, b: UserTopic): number {
  return a.stream_id - b.stream_id || (a.topic_name.toLowerCase() < b.topic_name.toLowerCase() ? -1 : 1)
}
