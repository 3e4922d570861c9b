import { directSlug } from '@parley/markdown/inline/links'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { isVisibleUser } from '../../../people/users/visibility/visible-users.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column, maybeOne, one } from '../../../platform/db/query.ts'
import type { Message } from '../model/access.ts'

/** A link to a message that the caller can read. */
export function linkToMessage(db: Db, caller: Caller, message: Message): Promise<string> {
  return message.channel_id === null ? directLink(db, caller, message) : channelLink(db, caller, message)
}

async function channelLink(db: Db, { realm_id }: Caller, { id, topic_id }: Message): Promise<string> {
  const { channel, topic } = await one<{ channel: string; topic: string }>(db)`
    select c.name as channel, t.name as topic from topics t
      join channels c on c.realm_id = t.realm_id and c.id = t.channel_id
     where t.realm_id = ${realm_id} and t.id = ${topic_id}`
  return `#**${channel}>${topic}@${id}**`
}

async function directLink(db: Db, caller: Caller, { id, recipient_id }: Message): Promise<string> {
  const people = await column<number>(db)`
    select user_id from direct_participants where realm_id = ${caller.realm_id} and recipient_id = ${recipient_id}`
  const others = people.filter((person) => person !== caller.id)
  return `[a direct message](/#narrow/dm/${directSlug(others.length > 0 ? others : people)}/near/${id})`
}

/** The author as a silent mention; undefined for guests who may not know who it is. */
export async function authorOf(db: Db, caller: Caller, { sender_id }: Message): Promise<string | undefined> {
  const visible = sql`u.realm_id = ${caller.realm_id} and u.id = ${sender_id} and ${isVisibleUser(caller)}`
  const user = await maybeOne<{ full_name: string }>(db)`select u.full_name from users u where ${visible}`
  return user && `@_**${user.full_name}|${sender_id}**`
}

/** The text as a quotation of at most `room` characters, in a fence that is longer than any inside. */
export function quotation(text: string, room: number): string {
  const longest = Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length))
  const fence = '`'.repeat(longest + 1)
  const frame = `${fence}quote\n\n${fence}`.length
  return `${fence}quote\n${cut(text, room - frame)}\n${fence}`
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(0, room - 2)).toWellFormed()} …`
}
