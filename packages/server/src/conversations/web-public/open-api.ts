import type { getOpenMessages, getOpenTopics, OpenMessageObject } from '@parley/api/conversations/open-channels'
import type { ParamsOf } from '@parley/api/operation'
import type { Realm } from '../../callers/realm-state.ts'
import type { Db } from '../../platform/db/pool.ts'
import { accessOpenChannel } from './access.ts'
import { type OpenMessage, readOpenRange, readOpenTopics, topicsPerPage } from './queries.ts'

export async function openTopics(db: Db, realm: Realm, id: number, { before }: ParamsOf<typeof getOpenTopics>) {
  await accessOpenChannel(db, realm, id)
  const topics = await readOpenTopics(db, realm.id, id, before ?? null)
  return { topics: topics.slice(0, topicsPerPage).map(({ name, newest_id }) => ({ name, max_id: newest_id })) }
}

/** One more than requested is read on each side, to know whether there are more. */
export async function openMessages(
  db: Db,
  realm: Realm,
  channelId: number,
  { topic, anchor, num_before, num_after }: ParamsOf<typeof getOpenMessages>,
) {
  await accessOpenChannel(db, realm, channelId)
  const edge = anchor === 'newest' ? Number.MAX_SAFE_INTEGER : anchor === 'oldest' ? 0 : anchor
  const range = { channelId, topic, edge }
  const older = await readOpenRange(db, realm.id, { ...range, direction: 'older', limit: num_before + 1 })
  // The message at the anchor counts as the first of the newer ones, in addition to `num_after`.
  const newer = await readOpenRange(db, realm.id, { ...range, direction: 'newer', limit: num_after + 2 })
  return {
    messages: [...older.slice(0, num_before).reverse(), ...newer.slice(0, num_after + 1)].map(openMessageObject),
    found_oldest: older.length <= num_before,
    found_newest: newer.length <= num_after + 1,
  }
}

function openMessageObject(message: OpenMessage): OpenMessageObject {
  const { id, sender_id, sender, date_sent, rendered_content, is_me_message, topic } = message
  return {
    id,
    sender_id,
    sender_full_name: sender,
    timestamp: Math.floor(date_sent.getTime() / 1000),
    content: rendered_content,
    is_me_message,
    subject: topic,
  }
}
