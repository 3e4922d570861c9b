import { type TopicPolicy, topicPolicies } from '@parley/api/topic-policies'
import type { Session } from '@parley/client/session/session'
import type { Slices } from '@parley/client/store/store'
import { topicKey } from '@parley/client/store/topics'
import { placeKey } from '@parley/client/store/unread'
import { changeFlag } from '../messages/actions.ts'
import { holdDeletion } from '../messages/held-deletions.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { act, deliver } from '../session/act.ts'
import { showToast } from '../ui/toast.tsx'
import { moveMessages, newestIn, type TopicPlace } from './moving.ts'

const said: Record<TopicPolicy, PlainId> = {
  0: 'topic.said.none',
  1: 'topic.said.muted',
  2: 'topic.said.unmuted',
  3: 'topic.said.followed',
}

export function setTopicPolicy(session: Session, { stream_id, topic }: TopicPlace, policy: TopicPolicy): void {
  const before = session.store!.topics.policyOf(stream_id, topic)
  const set = (visibility_policy: TopicPolicy) =>
    deliver(session, 'setTopicPolicy', { stream_id, topic, visibility_policy })
  const isUnmuted = before === topicPolicies.muted && policy === topicPolicies.none
  void act(set(policy), t(isUnmuted ? 'topic.said.unmuted' : said[policy]), () => void act(set(before)))
}

/** In a muted channel a topic is unmuted by a policy of its own. */
export function toggleMuted(session: Session, place: TopicPlace): void {
  const { topics, channels } = session.store!
  const isMuted = topics.isMuted(place.stream_id, place.topic)
  const isChannelMuted = channels.subscribed.get(place.stream_id)?.is_muted ?? false
  if (!isMuted) setTopicPolicy(session, place, topicPolicies.muted)
  else setTopicPolicy(session, place, isChannelMuted ? topicPolicies.unmuted : topicPolicies.none)
}

export function isResolved(topic: string): boolean {
  return topic.startsWith('✔ ')
}

/** Renames a topic to its resolved form, or back. */
export async function toggleResolved(session: Session, place: TopicPlace): Promise<void> {
  const { topic } = place
  const to = isResolved(topic) ? topic.replace(/^(✔ )+/, '') : `✔ ${topic}`
  await moveTopic(
    session,
    place,
    { ...place, topic: to },
    isResolved(topic) ? t('topic.said.reopened') : t('topic.said.resolved'),
  )
}

export async function moveTopic(session: Session, from: TopicPlace, to: TopicPlace, done: string): Promise<void> {
  const newest = await newestIn(session, from).catch(() => undefined)
  if (!newest) return showToast({ text: t('topic.nothingToMove'), isError: true })
  await moveMessages(session, { messageId: newest.id, from, to, mode: 'change_all' }, done)
}

/** Unread messages of the topic, as far as the client knows them. */
export function unreadIn({ unread }: Slices<'unread'>, place: TopicPlace): number[] {
  return [...(unread.conversations.get(placeKey(place))?.ids ?? [])]
}

export function markTopicRead(session: Session, place: TopicPlace): void {
  const messages = unreadIn(session.store!, place)
  const flag = (op: 'add' | 'remove') => changeFlag(session, op, 'read', messages)
  void act(flag('add'), t('inbox.marked'), () => void act(flag('remove')))
}

export function deleteTopic(session: Session, { stream_id, topic }: TopicPlace): void {
  const remove = async (): Promise<void> => {
    const { complete } = await deliver(session, 'deleteTopic', { path: { stream_id }, topic_name: topic })
    if (!complete) await remove()
  }
  holdDeletion(topicKey(stream_id, topic), t('topic.said.deleted'), () => void act(remove()))
}
