import { roles } from '@parley/api/roles'
import type { Session } from '@parley/client/session'
import type { Store } from '@parley/client/store'
import { placeKey } from '@parley/client/unread'
import { changeFlag } from '../messages/actions.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { act, deliver } from '../session/act.ts'
import { holdAct, showToast } from '../ui/toast.tsx'
import { moveMessages, newestIn, type TopicPlace } from './moving.ts'

export type Policy = 0 | 1 | 2 | 3
export const policies = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const

const said: Record<Policy, PlainId> = {
  0: 'topic.said.none',
  1: 'topic.said.muted',
  2: 'topic.said.unmuted',
  3: 'topic.said.followed',
}

export function setTopicPolicy(session: Session, { stream_id, topic }: TopicPlace, policy: Policy): void {
  const before = session.store!.topics.policyOf(stream_id, topic) as Policy
  const set = (visibility_policy: Policy) => deliver(session, 'setTopicPolicy', { stream_id, topic, visibility_policy })
  void act(set(policy), t(said[policy]), () => void act(set(before)))
}

/** In a muted channel a topic is unmuted by a policy of its own. */
export function toggleMuted(session: Session, place: TopicPlace): void {
  const { topics, channels } = session.store!
  const isMuted = topics.isMuted(place.stream_id, place.topic)
  const isChannelMuted = channels.subscribed.get(place.stream_id)?.is_muted ?? false
  if (!isMuted) setTopicPolicy(session, place, policies.muted)
  else setTopicPolicy(session, place, isChannelMuted ? policies.unmuted : policies.none)
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
export function unreadIn({ unread }: Store, place: TopicPlace): number[] {
  return [...(unread.conversations.get(placeKey(place))?.ids ?? [])]
}

export function markTopicRead(session: Session, place: TopicPlace): void {
  const messages = unreadIn(session.store!, place)
  const flag = (op: 'add' | 'remove') => changeFlag(session, op, 'read', messages)
  void act(flag('add'), t('inbox.marked'), () => void act(flag('remove')))
}

/** The server decides; this only hides what it would refuse. */
export function mayDeleteTopic({ users, settings }: Store): boolean {
  return (users.byId.get(settings.user_id as number)?.role ?? roles.guest) <= roles.admin
}

export function deleteTopic(session: Session, { stream_id, topic }: TopicPlace): void {
  const remove = async (): Promise<void> => {
    const { complete } = await deliver(session, 'deleteTopic', { path: { stream_id }, topic_name: topic })
    if (!complete) await remove()
  }
  holdAct(t('topic.said.deleted'), () => void act(remove()))
}
