import { sql } from 'kysely'
import { flagBits } from '../../conversations/messages/model/flag-bits.ts'
import { policyTopic } from '../../conversations/topics/policies.ts'
import { ofConsenting, ofTheirBots, plain, rowsOf, type Section, withUnixTimes } from './rows.ts'

const ownChannels: Section = {
  tables: ['subscriptions'],
  lines: (db, { realmId, consenting, channels }) =>
    rowsOf(
      db,
      sql<object>`
        select s.user_id, s.channel_id, s.is_active, s.color, s.is_muted, s.pin_to_top, s.desktop_notifications,
               s.audible_notifications, s.push_notifications, s.email_notifications, s.wildcard_mentions_notify, s.read_floor
          from subscriptions s
         where s.realm_id = ${realmId} and s.user_id = any(${consenting}::bigint[])
           and s.channel_id = any(${channels}::bigint[]) order by 1, 2`,
    ),
}

const ownTopics: Section = {
  tables: ['user_topics'],
  async *lines(db, { realmId, consenting, channels }) {
    const query = sql<object>`
      select v.user_id, t.channel_id, ${policyTopic} as topic, t.id as topic_id, v.visibility_policy, v.last_updated, v.is_hidden
        from user_topics v join topics t on t.realm_id = v.realm_id and t.id = v.topic_id
       where v.realm_id = ${realmId} and v.user_id = any(${consenting}::bigint[])
         and t.channel_id = any(${channels}::bigint[]) order by 1, 2, 3`
    for await (const row of rowsOf(db, query)) yield withUnixTimes(row)
  },
}

const conversations: Section = {
  tables: ['direct_participants', 'direct_conversations'],
  lines: (db, { realmId, consenting }) =>
    rowsOf(
      db,
      sql<object>`
        select p.user_id, g.user_ids as recipients, p.read_floor
          from direct_participants p
          join direct_conversations g on g.realm_id = p.realm_id and g.recipient_id = p.recipient_id
         where p.realm_id = ${realmId} and p.user_id = any(${consenting}::bigint[]) order by 1, 2`,
    ),
}

const flags: Section = {
  tables: ['message_flags'],
  async *lines(db, { realmId, consenting }) {
    const query = sql<{ flags: number }>`
      select f.user_id, f.message_id, f.flags from message_flags f
       where f.realm_id = ${realmId} and f.user_id = any(${consenting}::bigint[]) order by 1, 2`
    for await (const row of rowsOf(db, query)) yield { ...row, flags: namesOf(row.flags) }
  },
}

function namesOf(bits: number): string[] {
  return Object.entries(flagBits)
    .filter(([, bit]) => bits & bit)
    .map(([name]) => name)
}

/** Personal data of users who consented. Empty in a public export. */
export const personalSections: Record<string, Section> = {
  own_subscriptions: ownChannels,
  own_topics: ownTopics,
  own_conversations: conversations,
  own_flags: flags,
  muted_users: plain('muted_users', ['user_id', 'muted_user_id', 'date_muted'], ofConsenting),
  alert_words: plain('alert_words', ['user_id', 'word'], ofConsenting),
  saved_snippets: plain('saved_snippets', ['user_id', 'id', 'title', 'content', 'date_created'], ofConsenting),
  drafts: plain('drafts', ['user_id', 'id', 'type', 'recipients', 'topic', 'content', 'last_edited'], ofConsenting),
  scheduled_messages: plain(
    'scheduled_messages',
    ['user_id', 'id', 'type', 'recipients', 'topic', 'content', 'delivery_time', 'read_by_sender', 'client', 'failed'],
    ofConsenting,
  ),
  reminders: plain(
    'reminders',
    ['user_id', 'id', 'message_id', 'note', 'content', 'delivery_time', 'failed'],
    ofConsenting,
  ),
  bot_services: plain(
    'bot_services',
    ['bot_id', 'base_url', 'interface', 'triggers', 'channel_ids', 'filter', 'in_order'],
    ofTheirBots,
  ),
  bot_storage: plain('bot_storage', ['bot_id', 'key', 'value'], ofTheirBots),
}
