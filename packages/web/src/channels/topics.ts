import type { Session } from '@parley/client/session/session'

interface Known {
  newest: number
  /** Not asked for again before, in milliseconds since 1970. */
  due: number
  topics: Promise<ListedTopic[]>
}

export interface ListedTopic {
  name: string
  max_id: number
}

const known = new WeakMap<Session, Map<number, Known>>()
/** The list of a busy channel with many topics is large: most of the time, it is not being loaded. */
const leastPause = 1000

/** Milliseconds until `loadTopics` asks the server again. */
export function topicsDue(session: Session, channelId: number): number {
  return Math.max(0, (known.get(session)?.get(channelId)?.due ?? 0) - Date.now())
}

/** The topics of a channel, the latest first. Asked for again after new messages or moves. */
export function loadTopics(session: Session, channelId: number): Promise<ListedTopic[]> {
  const newest = session.store!.conversations.newest
  const ofSession = known.get(session) ?? forgetOnMoves(session)
  const found = ofSession.get(channelId)
  if (found && (found.newest === newest || Date.now() < found.due)) return found.topics
  const start = Date.now()
  const topics = session.client
    .call('getTopics', { path: { stream_id: channelId }, allow_empty_topic_name: true })
    .then((answer) => answer.topics)
  const loading: Known = { newest, topics, due: Infinity }
  ofSession.set(channelId, loading)
  void topics
    .finally(() => (loading.due = Date.now() + Math.max(leastPause, (Date.now() - start) * 20)))
    .catch(() => {})
  topics.catch(() => ofSession.delete(channelId)) // the next use tries again
  return topics
}

/** Topics of a channel that are known without asking: of unread messages and of those that were loaded. */
export function knownTopics({ store, messages }: Session, channelId: number): ListedTopic[] {
  const topics = new Map<string, ListedTopic>()
  const add = (name: string, id: number) => {
    const known = topics.get(name.toLowerCase())
    if (!known || known.max_id < id) topics.set(name.toLowerCase(), { name, max_id: id })
  }
  for (const { place, ids } of store!.unread.conversations.values())
    if ('topic' in place && place.stream_id === channelId) for (const id of ids) add(place.topic, id)
  for (const { id, stream_id, subject } of messages.byId.values()) if (stream_id === channelId) add(subject, id)
  return [...topics.values()].sort((a, b) => b.max_id - a.max_id)
}

function forgetOnMoves(session: Session): Map<number, Known> {
  const ofSession = new Map<number, Known>()
  known.set(session, ofSession)
  session.onEvent((event) => {
    const isMove = event.type === 'update_message' && (event.subject ?? event.new_stream_id) !== undefined
    if (isMove || event.type === 'delete_message') ofSession.clear()
  })
  return ofSession
}
