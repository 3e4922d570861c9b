import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { many, maybeOne } from '../../platform/db/query.ts'
import { isOpenToAnyone } from '../channels/visibility/conditions.ts'
import type { StoredUpload } from '../messages/model/attachments.ts'
import { mePrefix, topicKey } from '../messages/model/normalize-text.ts'
import { topicOfMessage } from '../messages/model/topic-spelling.ts'

/*
 * What people without an account see. Each query checks `isOpenToAnyone` itself, so that no answer contains a channel
 * that was closed a moment ago. None of them reads emails or avatars: an avatar's URL can contain the hash of an email.
 */

export interface OpenChannel {
  id: number
  name: string
  rendered_description: string
}

export interface OpenTopic {
  id: number
  name: string
  newest_id: number
  newest_at: Date
}

export interface OpenMessage {
  id: number
  sender_id: number
  sender: string
  topic: string
  date_sent: Date
  rendered_content: string
  is_me_message: boolean
}

export const channelsPerPage = 500
export const topicsPerPage = 100
export const messagesPerPage = 100

const channelColumns = sql`c.id, c.name, c.rendered_description`

export function readOpenChannels(db: Db, realmId: number): Promise<OpenChannel[]> {
  return many<OpenChannel>(db)`
    select ${channelColumns} from channels c
     where c.realm_id = ${realmId} and ${isOpenToAnyone} order by c.name_key limit ${channelsPerPage}`
}

export function findOpenChannel(db: Db, realmId: number, id: number): Promise<OpenChannel | undefined> {
  return maybeOne<OpenChannel>(db)`
    select ${channelColumns} from channels c where c.realm_id = ${realmId} and c.id = ${id} and ${isOpenToAnyone}`
}

/** The topics of an open channel, newest first; one more than a page, if there are more. */
export function readOpenTopics(
  db: Db,
  realmId: number,
  channelId: number,
  before: number | null,
): Promise<OpenTopic[]> {
  return readTopics(db, realmId, channelId, sql`${before}::bigint is null or newest.id < ${before}::bigint`)
}

export async function findOpenTopic(
  db: Db,
  realmId: number,
  channelId: number,
  topicId: number,
): Promise<OpenTopic | undefined> {
  const [topic] = await readTopics(db, realmId, channelId, sql`t.id = ${topicId}`)
  return topic
}

function readTopics(db: Db, realmId: number, channelId: number, condition: RawBuilder<unknown>): Promise<OpenTopic[]> {
  return many<OpenTopic>(db)`
    select t.id, newest.name, newest.id as newest_id, newest.date_sent as newest_at
      from channels c
      join topics t on t.realm_id = c.realm_id and t.channel_id = c.id
      join lateral (select m.id, m.date_sent, ${topicOfMessage} as name from messages m
                     where m.realm_id = c.realm_id and m.topic_id = t.id
                     order by m.id desc limit 1) newest on true
     where c.realm_id = ${realmId} and c.id = ${channelId} and ${isOpenToAnyone} and (${condition})
     order by newest.id desc limit ${topicsPerPage + 1}`
}

/** The messages of a topic after one of them, oldest first; one more than a page, if there are more. */
export function readOpenMessages(
  db: Db,
  realmId: number,
  { channelId, topicId, after }: { channelId: number; topicId: number; after: number },
): Promise<OpenMessage[]> {
  return readMessages(
    db,
    realmId,
    channelId,
    sql`m.topic_id = ${topicId} and m.id > ${after} order by m.id limit ${messagesPerPage + 1}`,
  )
}

interface OpenRange {
  channelId: number
  /** Without it, the messages of all topics. */
  topic: string | undefined
  /** The messages that follow this one, or that come before it. */
  edge: number
  direction: 'older' | 'newer'
  limit: number
}

/** Messages on one side of an edge, those next to it first. */
export function readOpenRange(
  db: Db,
  realmId: number,
  { channelId, topic, edge, direction, limit }: OpenRange,
): Promise<OpenMessage[]> {
  const place =
    topic === undefined
      ? sql`m.recipient_id = c.recipient_id`
      : sql`m.topic_id = (select k.id from topics k
                           where k.realm_id = c.realm_id and k.channel_id = c.id and k.name_key = ${topicKey(topic)})`
  const side = direction === 'older' ? sql`m.id < ${edge} order by m.id desc` : sql`m.id >= ${edge} order by m.id`
  return readMessages(db, realmId, channelId, sql`${place} and ${side} limit ${limit}`)
}

function readMessages(db: Db, realmId: number, channelId: number, range: RawBuilder<unknown>): Promise<OpenMessage[]> {
  return many<OpenMessage>(db)`
    select m.id, m.sender_id, u.full_name as sender, m.date_sent, m.rendered_content, ${topicOfMessage} as topic,
           starts_with(m.content, ${sql.lit(mePrefix)}) as is_me_message
      from channels c
      join messages m on m.realm_id = c.realm_id and m.channel_id = c.id
      join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      join users u on u.realm_id = m.realm_id and u.id = m.sender_id
     where c.realm_id = ${realmId} and c.id = ${channelId} and ${isOpenToAnyone} and ${range}`
}

/** A file to which a message in an open channel links. */
export function findOpenFile(db: Db, realmId: number, pathId: string): Promise<StoredUpload | undefined> {
  return maybeOne<StoredUpload>(db)`
    select a.id, a.path_id, a.content_type, a.width, a.height, a.thumbnails
      from attachments a
     where a.realm_id = ${realmId} and a.path_id = ${pathId} and exists (
       select 1 from attachment_messages l
         join messages m on m.realm_id = l.realm_id and m.id = l.message_id
         join channels c on c.realm_id = m.realm_id and c.id = m.channel_id
        where l.realm_id = a.realm_id and l.attachment_id = a.id and ${isOpenToAnyone})`
}
