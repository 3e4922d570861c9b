import type { QueueEvent } from '@parley/api/events'
import type { ShownMessage } from '@parley/client/messages/cache'
import { matches, topicOf, usersOf } from '@parley/client/messages/narrow'
import type { NotificationDecision } from '@parley/client/messages/notifications'
import type { Session } from '@parley/client/session/session'
import { deletedIds } from '@parley/client/store/state'
import { shownText } from '@parley/markdown/shown-text'
import { linkTo } from '../messages/links.ts'
import { ownImage } from '../platform/own-images.ts'
import { parseNarrow } from '../session/links.ts'
import { type Arrived, decideOnArrival, explain, questionOf } from './decisions.ts'
import { closeAllNotifications, closeNotifications, showNotification } from './desktop.ts'
import { setQuestion } from './question.ts'
import { playSound } from './sounds.ts'
import { summaryOf, textOf } from './texts.ts'

/** Messages that arrive together are one batch. Also gives a window that shows the conversation time to claim it. */
const batchMilliseconds = 120
/** Larger batches are one notification. */
const maxSingle = 3
const claimMilliseconds = 10_000

interface Pending {
  arrived: Arrived
  decision: NotificationDecision
  isEdit: boolean
}

/** Notifies the viewer about new messages until the returned function is called. */
export function startNotifications(session: Session): () => void {
  setQuestion((store, message) => questionOf(explain(store, message)))
  let batch: Pending[] = []
  const flush = async () => {
    const due = batch
    batch = []
    const claimed = await Promise.all(due.map(async (one) => ((await claim(one)) ? [one] : [])))
    notify(session, claimed.flat())
  }
  const consider = (arrived: Arrived, isEdit: boolean) => {
    const isShown = isLookingAt(session, arrived)
    const decision = decideOnArrival(session.store!, arrived, isShown)
    // Everything else about an edited message was known before.
    if (isEdit && decision.reason !== 'mentioned' && decision.reason !== 'everyone') return
    if (isShown) void claim({ arrived, isEdit })
    if (!decision.desktop && !decision.sound) return
    batch.push({ arrived, decision, isEdit })
    if (batch.length === 1) setTimeout(() => void flush(), batchMilliseconds)
  }
  return session.onEvent((event) => {
    closeSettled(event)
    // What happened while the client was closed is not news.
    if (!session.isCurrent) return
    if (event.type === 'message' && isNew(session, event)) consider(event, false)
    if (event.type === 'update_message' && session.store!.unread.mentionedByEdit === event.message_id)
      void findMessage(session, event.message_id).then((message) => consider({ message, flags: event.flags }, true))
  })
}

/** Windows contain only messages that were looked at. */
async function findMessage({ client, messages }: Session, id: number): Promise<ShownMessage> {
  const known = messages.byId.get(id)
  if (known) return known
  const path = { message_id: id }
  return (await client.call('getMessage', { path, allow_empty_topic_name: true })).message
}

/** Closes notifications that have nothing to say any more: their message was read or deleted. */
function closeSettled(event: QueueEvent): void {
  if (event.type === 'delete_message') closeNotifications(deletedIds(event))
  if (event.type !== 'update_message_flags' || event.flag !== 'read' || event.op !== 'add') return
  if (event.all) closeAllNotifications()
  else closeNotifications(event.messages)
}

/** A message that was restored is not news. */
function isNew({ store }: Session, { message }: Arrived): boolean {
  return message.id >= store!.conversations.newest
}

/** Whether this window has the focus and shows the conversation of the message. */
function isLookingAt({ viewerId }: Session, { message, flags }: Arrived): boolean {
  const narrow = parseNarrow(window.location.hash)?.narrow
  if (!narrow || !document.hasFocus() || !(topicOf(narrow) ?? usersOf(narrow))) return false
  return matches(narrow, { ...message, flags }, viewerId) === true
}

/** Of several windows, the first one to claim a message notifies about it. */
function claim({ arrived: { message }, isEdit }: Pick<Pending, 'arrived' | 'isEdit'>): Promise<boolean> {
  // Browsers offer locks only on HTTPS and on localhost.
  if (!navigator.locks) return Promise.resolve(true)
  const name = `parley-notify-${message.id}${isEdit ? '-edit' : ''}`
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      resolve(lock !== null)
      if (lock) await new Promise((done) => setTimeout(done, claimMilliseconds))
    })
  })
}

function notify(session: Session, pending: readonly Pending[]): void {
  const store = session.store!
  if (pending.some(({ decision }) => decision.sound)) playSound(String(store.preferences.get('notification_sound')))
  const messages = pending.filter(({ decision }) => decision.desktop).map(({ arrived }) => arrived.message)
  if (messages.length > maxSingle) {
    const text = summaryOf(messages.map(({ sender_full_name }) => sender_full_name))
    return void showNotification({ ...text, hash: '#inbox' })
  }
  for (const message of messages) {
    const text = textOf(store, message, shownText(message.content))
    const icon = ownImage(message.avatar_url)
    void showNotification({ ...text, messageId: message.id, hash: linkTo(message, session.viewerId, store), icon })
  }
}
