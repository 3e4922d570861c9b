import type { QueueEvent } from '@parley/api/events'
import { mayInChannel } from '@parley/api/permissions'
import { matches, narrows } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'
import type { Slices } from '@parley/client/store/store'
import { topicKey } from '@parley/client/store/topics'
import { t } from '../platform/i18n.ts'
import { act, deliver } from '../session/act.ts'
import { narrowHash } from '../session/links.ts'
import { showToast } from '../ui/toast.tsx'
import { type Move, type TopicPlace, undoSteps } from './undo-steps.ts'

export type { TopicPlace }

/** Moves messages and offers to undo it, if that is possible exactly. */
export async function moveMessages(session: Session, move: Move, done: string): Promise<void> {
  const isSame = topicKey(move.from.stream_id, move.from.topic) === topicKey(move.to.stream_id, move.to.topic)
  const moved = movedIds(session, move.messageId)
  const stopProgress = showProgress(session, done)
  let continues = false
  await act(
    (async () => {
      const wasEmpty = isSame || (await isEmptyTopic(session, move.to))
      continues = (await send(session, move)).move_continues === true
      if (continues) return
      const steps = undoSteps(move, wasEmpty, await moved.ids)
      sayMoved(session, move, done, steps && (() => void act(sendAll(session, steps))))
    })(),
  )
  moved.stop()
  if (!continues) stopProgress()
}

/** Says so, with a link to where they are now. A topic that was only resolved or reopened stays in its place. */
function sayMoved(session: Session, { from, to }: Move, text: string, undo: (() => void) | undefined): void {
  const bare = ({ stream_id, topic }: TopicPlace) => topicKey(stream_id, topic.replace(/^(✔ )+/, ''))
  const hash = narrowHash(narrows.topic(to.stream_id, to.topic), session.store!)
  const isElsewhere = bare(from) !== bare(to) && hash !== window.location.hash
  showToast({ text, ...(undo && { undo }), ...(isElsewhere && { link: { hash, text: t('move.show') } }) })
}

/** The channels into which the viewer may move messages of one. */
export function moveTargets({ channels, viewer }: Slices<'channels' | 'viewer'>, from: number) {
  return [...channels.subscribed.values(), ...channels.neverSubscribed.values(), ...channels.left.values()]
    .filter((one) => one.stream_id === from || mayInChannel(viewer, one, 'can_send_message_group'))
    .sort((a, b) => a.name.localeCompare(b.name))
}

/** Many messages are moved in parts, each with an event. Ends when all are moved. */
function showProgress(session: Session, done: string): () => void {
  const stop = session.onEvent((event) => {
    if (event.type !== 'update_message' || event.user_id !== session.viewerId || !event.move_progress) return
    const { moved, total } = event.move_progress
    showToast({ text: moved < total ? t('move.progress', { moved, total }) : done })
    if (moved >= total) stop()
  })
  return stop
}

async function sendAll(session: Session, moves: readonly Move[]): Promise<void> {
  for (const move of moves) await send(session, move)
}

function send(session: Session, { messageId, from, to, mode }: Move) {
  return deliver(session, 'editMessage', {
    path: { message_id: messageId },
    propagate_mode: mode,
    send_notification_to_new_thread: false,
    ...(to.topic !== from.topic && { topic: to.topic }),
    ...(to.stream_id !== from.stream_id && { stream_id: to.stream_id }),
  })
}

/** While the server cannot be reached, nothing is certain. */
async function isEmptyTopic(session: Session, place: TopicPlace): Promise<boolean> {
  return session.connection !== 'offline' && (await newestIn(session, place)) === undefined
}

/** The newest message of a topic, which names the topic when it is moved; offline, the newest one that is known. */
export async function newestIn({ client, connection, messages: known, viewerId }: Session, place: TopicPlace) {
  const narrow = narrows.topic(place.stream_id, place.topic)
  if (connection === 'offline') {
    const there = [...known.byId.values()].filter((one) => !one.local_id && matches(narrow, one, viewerId))
    return there.sort((a, b) => a.id - b.id).at(-1)
  }
  const { messages } = await client.call('getMessages', {
    narrow: narrow.map((term) => ({ ...term })),
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    allow_empty_topic_name: true,
    client_gravatar: true,
  })
  return messages.at(-1)
}

const eventDelay = 3000

/** The messages that the event about the move names. None if it does not arrive in time, or names only a part of them. */
function movedIds(session: Session, messageId: number): { ids: Promise<readonly number[]>; stop: () => void } {
  const { promise: ids, resolve } = Promise.withResolvers<readonly number[]>()
  const timer = setTimeout(resolve, eventDelay, [])
  const isMove = (event: QueueEvent) => event.type === 'update_message' && event.orig_subject !== undefined
  const unsubscribe = session.onEvent((event) => {
    if (isMove(event) && event.type === 'update_message' && event.message_ids.includes(messageId))
      resolve(event.move_progress ? [] : event.message_ids)
  })
  const stop = () => {
    unsubscribe()
    clearTimeout(timer)
  }
  return { ids, stop }
}
