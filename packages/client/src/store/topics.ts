import type { QueueEvent } from '@parley/api/events'
import { type TopicPolicy, topicPolicies } from '@parley/api/topic-policies'
import type { Channels } from './channels.ts'
import type { Slice, State, TopicState } from './state.ts'

type UserTopic = TopicState['user_topics'][number]

/** The viewer's visibility policies for topics. */
export class Topics implements Slice {
  readonly events = ['muted_topics', 'stream', 'subscription', 'user_topic'] as const
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
    if (visibility_policy === topicPolicies.none) this.#policies.delete(key)
    else this.#policies.set(key, { stream_id, topic_name, last_updated, visibility_policy })
  }

  /** The legacy list names channels instead of their ids. */
  #rename(before: string, now: string): void {
    this.#muted = this.#muted.map(([channel, ...topic]) => [channel === before ? now : channel, ...topic])
  }

  policyOf(streamId: number, topic: string): TopicPolicy {
    return this.#policies.get(topicKey(streamId, topic))?.visibility_policy ?? topicPolicies.none
  }

  /** Whether the topic is muted. The policy for the topic takes precedence over the channel. */
  isMuted(streamId: number, topic: string): boolean {
    const policy = this.#policies.get(topicKey(streamId, topic))?.visibility_policy
    if (policy === topicPolicies.muted) return true
    if (policy === topicPolicies.unmuted || policy === topicPolicies.followed) return false
    return this.#channels.subscribed.get(streamId)?.is_muted ?? false
  }

  /** The topics that the viewer follows, the latest first. */
  followed(): UserTopic[] {
    return [...this.#policies.values()]
      .filter(({ visibility_policy }) => visibility_policy === topicPolicies.followed)
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
