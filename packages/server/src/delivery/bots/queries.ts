import type { TriggerSettings } from '@parley/api/delivery/webhook-triggers'
import { type RawBuilder, sql } from 'kysely'
import { foundUserColumns } from '../../people/users/find-users.ts'
import type { UserRow } from '../../people/users/user-object.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'

export interface DefaultChannel {
  name: string
  invite_only: boolean
}

/** A bot with its defaults and its service. Keys and tokens are sealed. */
export interface BotRow extends UserRow {
  can_create_users: boolean
  api_key_sealed: Buffer
  sending: DefaultChannel | null
  events: DefaultChannel | null
  default_all_public_streams: boolean
  config_data: Record<string, string>
  base_url: string | null
  interface: 1 | 2 | null
  token_sealed: Buffer | null
  trigger_settings: TriggerSettings | null
}

/** The bots of a realm, ordered by id, without the server's system bots. */
export async function readBots(db: Db, realmId: number, which: RawBuilder<unknown> = sql`true`): Promise<BotRow[]> {
  return many<BotRow>(db)`
    select ${foundUserColumns}, u.can_create_users, u.api_key_sealed, ${defaultChannel('cs')} as sending,
           ${defaultChannel('ce')} as events, coalesce(b.default_all_public_streams, false) as default_all_public_streams,
           coalesce(b.config_data, '{}') as config_data, s.base_url, s.interface, s.token_sealed,
           ${triggerSettings} as trigger_settings
      from users u
      left join bots b on b.realm_id = u.realm_id and b.user_id = u.id
      left join channels cs on cs.realm_id = u.realm_id and cs.id = b.default_sending_channel_id
      left join channels ce on ce.realm_id = u.realm_id and ce.id = b.default_events_channel_id
      left join bot_services s on s.realm_id = u.realm_id and s.bot_id = u.id
     where u.realm_id = ${realmId} and u.bot_type is not null and not u.is_system_bot and ${which}
     order by u.id`
}

/** Null for a bot without an endpoint. */
const triggerSettings = sql`
  case when s.bot_id is not null then
    json_build_object('triggers', s.triggers, 'channel_ids', s.channel_ids, 'filter', s.filter, 'in_order', s.in_order,
                      'paused', s.paused_at is not null, 'commands', s.commands) end`

function defaultChannel(table: string) {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql`case when ${column('id')} is not null then
    json_build_object('name', ${column('name')}, 'invite_only', ${column('invite_only')}) end`
}

export async function readBot(db: Db, realmId: number, id: number): Promise<BotRow | undefined> {
  const [bot] = await readBots(db, realmId, sql`u.id = ${id}`)
  return bot
}

/** The active bots that a user owns. */
export function readOwnBots(db: Db, { realm_id, id }: { realm_id: number; id: number }): Promise<BotRow[]> {
  return readBots(db, realm_id, sql`u.bot_owner_id = ${id} and u.is_active`)
}
