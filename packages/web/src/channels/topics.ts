import type { Session } from '@parley/client/session'

interface Known {
  newest: number
  topics: Promise<ListedTopic[]>
}

export interface ListedTopic {
  name: string
  max_id: number
}

const known = new WeakMap<Session, Map<number, Known>>()

/** The topics of a channel, the latest first. Asked for again after new messages or moves. */
export function loadTopics(session: Session, channelId: number): Promise<ListedTopic[]> {
  const newest = session.store!.conversations.newest
  const ofSession = known.get(session) ?? forgetOnMoves(session)
  const found = ofSession.get(channelId)
  if (found?.newest === newest) return found.topics
  const topics = session.client
    .call('getTopics', { path: { stream_id: channelId }, allow_empty_topic_name: true })
    .then((answer) => answer.topics)
  ofSession.set(channelId, { newest, topics })
  topics.catch(() => ofSession.delete(channelId)) // the next use tries again
  return topics
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
