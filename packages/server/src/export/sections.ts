import { sql } from 'kysely'
import { emojiUrl } from '../emoji/queries.ts'
import { readFolders } from '../folders/queries.ts'
import { type Entry, historyColumn, sortedHistory } from '../messages/history.ts'
import type { Db } from '../platform/db/pool.ts'
import { unixSeconds } from '../platform/text.ts'
import { fakeDomain } from '../realms/state.ts'
import { apiEmail, deliveryEmail } from '../users/objects.ts'
import { belongs, type Scope } from './scope.ts'

type Lines = AsyncGenerator<object>

const pageSize = 1000

/** The rows that `read` gives, page after page, so that only one page is in memory. */
async function* paged<Row extends { id: number }>(read: (after: number) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const rows = await read(after)
    yield* rows
    if (rows.length < pageSize) return
    after = rows.at(-1)!.id
  }
}

/** The files of an export that are made of rows. Each names every column it shows: what is not named stays here. */
export const sections: Record<string, (db: Db, scope: Scope) => Lines> = {
  realm: realmLines,
  users: userLines,
  groups: groupLines,
  folders: folderLines,
  channels: channelLines,
  subscriptions: subscriptionLines,
  messages: messageLines,
  files: fileLines,
  emoji: emojiLines,
}

async function* realmLines(db: Db, { realmId }: Scope): Lines {
  const { date_created, ...realm } = await db
    .selectFrom('realms')
    .select(['id', 'string_id', 'name', 'description', 'date_created', 'settings'])
    .where('id', '=', realmId)
    .executeTakeFirstOrThrow()
  yield { ...realm, date_created: unixSeconds(date_created) }
}

/** An address hidden from administrators, and personal settings, are shown only of those who agreed. */
async function* userLines(db: Db, { realmId, consenting }: Scope): Lines {
  const agreed = new Set(consenting)
  const realm = await db
    .selectFrom('realms')
    .select(['host', 'string_id'])
    .where('id', '=', realmId)
    .executeTakeFirstOrThrow()
  const administrator = { id: 0, role: 200 }
  const read = async (after: number) =>
    (
      await sql<UserLine>`
        select u.id, u.email, u.full_name, u.role, u.is_active, u.bot_type, u.bot_owner_id, u.date_joined, u.timezone,
               u.avatar_path,
               coalesce((u.settings ->> 'email_address_visibility')::integer, 1) as email_address_visibility,
               case when u.id = any(${consenting}::bigint[]) then u.settings end as settings
          from users u where u.realm_id = ${realmId} and u.id > ${after} order by u.id limit ${pageSize}`.execute(db)
    ).rows
  for await (const { date_joined, settings, email_address_visibility, ...row } of paged(read)) {
    const known = { ...row, email_address_visibility }
    yield {
      ...row,
      email: apiEmail(known, fakeDomain(realm)),
      delivery_email: agreed.has(row.id) ? row.email : deliveryEmail(known, administrator),
      date_joined: unixSeconds(date_joined),
      ...(settings && { settings }),
    }
  }
}

interface UserLine {
  id: number
  email: string
  full_name: string
  role: number
  is_active: boolean
  bot_type: number | null
  bot_owner_id: number | null
  date_joined: Date
  timezone: string
  avatar_path: string | null
  email_address_visibility: number
  settings: object | null
}

async function* groupLines(db: Db, { realmId }: Scope): Lines {
  const { rows } = await sql<object>`
    select g.id, g.name, g.description, g.is_system_group, g.deactivated, g.creator_id,
           array(select user_id from group_members where realm_id = g.realm_id and group_id = g.id order by 1) as members,
           array(select subgroup_id from group_subgroups where realm_id = g.realm_id and group_id = g.id order by 1) as subgroups
      from user_groups g where g.realm_id = ${realmId} and g.name is not null order by g.id`.execute(db)
  yield* rows
}

async function* folderLines(db: Db, { realmId }: Scope): Lines {
  for (const { rendered_description: _, ...folder } of await readFolders(db, realmId)) yield folder
}

async function* channelLines(db: Db, { realmId, channels }: Scope): Lines {
  const { rows } = await sql<object>`
    select id, name, description, extract(epoch from date_created)::bigint as date_created, creator_id, invite_only,
           is_web_public, history_public_to_subscribers, is_archived, message_retention_days, folder_id
      from channels where realm_id = ${realmId} and id = any(${channels}::bigint[]) order by id`.execute(db)
  yield* rows
}

async function* subscriptionLines(db: Db, { realmId, channels }: Scope): Lines {
  for (const channel_id of channels) {
    const { rows } = await sql<object>`
      select channel_id, user_id from subscriptions
       where realm_id = ${realmId} and channel_id = ${channel_id} and is_active order by user_id`.execute(db)
    yield* rows
  }
}

interface MessageLine {
  id: number
  history: Entry[]
}

async function* messageLines(db: Db, scope: Scope): Lines {
  const read = async (after: number) =>
    (
      await sql<MessageLine>`
        select m.id, m.sender_id, m.channel_id, t.name as topic, g.user_ids as recipients,
               extract(epoch from m.date_sent)::bigint as date_sent, m.client, m.content, m.rendered_content,
               ${historyColumn} as history,
               coalesce((select json_agg(json_build_object('emoji_name', emoji_name, 'emoji_code', emoji_code,
                                          'reaction_type', reaction_type, 'user_id', user_id) order by created_at, user_id)
                  from reactions where realm_id = m.realm_id and message_id = m.id), '[]') as reactions
          from messages m
          left join channels c on c.realm_id = m.realm_id and c.id = m.channel_id
          left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
          left join direct_conversations g on g.realm_id = m.realm_id and g.recipient_id = m.recipient_id
         where m.realm_id = ${scope.realmId} and m.id > ${after} and ${belongs(scope)}
         order by m.id limit ${pageSize}`.execute(db)
    ).rows
  for await (const { history, ...message } of paged(read))
    yield { ...message, edit_history: sortedHistory(history).map(({ number: _, resolving: __, ...entry }) => entry) }
}

/** Uploads that the exported messages link to. */
async function* fileLines(db: Db, scope: Scope): Lines {
  const read = async (after: number) =>
    (
      await sql<{ id: number }>`
        select a.id, a.owner_id, a.name, a.path_id, a.content_type, a.size,
               extract(epoch from a.create_time)::bigint as create_time, array_agg(m.id order by m.id) as message_ids
          from attachments a
          join attachment_messages l on l.realm_id = a.realm_id and l.attachment_id = a.id
          join messages m on m.realm_id = l.realm_id and m.id = l.message_id
          left join channels c on c.realm_id = m.realm_id and c.id = m.channel_id
         where a.realm_id = ${scope.realmId} and a.id > ${after} and ${belongs(scope)}
         group by a.id order by a.id limit ${pageSize}`.execute(db)
    ).rows
  yield* paged(read)
}

async function* emojiLines(db: Db, { realmId }: Scope): Lines {
  const rows = await db
    .selectFrom('realm_emoji')
    .select(['id', 'name', 'author_id', 'deactivated', 'file_name', 'still_file_name'])
    .where('realm_id', '=', realmId)
    .orderBy('id')
    .execute()
  yield* rows.map((row) => ({ ...row, source_url: emojiUrl(realmId, row.file_name) }))
}
