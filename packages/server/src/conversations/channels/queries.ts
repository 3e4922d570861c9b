import type { GroupSettingValue } from '@parley/api/common'
import { type ChannelObject, channelPermissionNames } from '@parley/api/conversations/channels'
import { lookup } from '@parley/api/lookup'
import { type RawBuilder, sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import { readSettingValues } from '../../organization/groups/setting-value.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, many, one } from '../../platform/db/query.ts'
import { unixSeconds } from '../../platform/text.ts'

type ComputedField = 'date_created' | 'stream_post_policy' | 'is_announcement_only'
type Permission = (typeof channelPermissionNames)[number]
type ChannelRow = Omit<ChannelObject, ComputedField | Permission> & { date_created: Date } & Record<Permission, number>

const messagesOfChannel = sql`messages m where m.realm_id = c.realm_id and m.recipient_id = c.recipient_id`

const isRecentlyActive = sql`
  (coalesce((select m.date_sent from ${messagesOfChannel} order by m.id desc limit 1), c.date_created)
    > now() - interval '180 days')`

interface VisibleChannels {
  visible: number[]
  /** Those of the given channels that are recently active. */
  active: number[]
}

/** The ids of the channels that match the condition; and which of `quiet`, if any, are recently active. */
export function readVisibleIds(db: Db, realmId: number, condition: RawBuilder<unknown>, quiet: number[]) {
  return one<VisibleChannels>(db)`
    select array(select c.id from channels c where c.realm_id = ${realmId} and (${condition})) as visible,
           array(select c.id from channels c
                  where c.realm_id = ${realmId} and c.id = any(${quiet}::bigint[]) and ${isRecentlyActive}) as active`
}

/** The channels (alias `c`) that match the condition, in API form, sorted by name. */
export async function readChannels(db: Db, realm: Realm, condition: RawBuilder<unknown>): Promise<ChannelObject[]> {
  const rows = await many<ChannelRow>(db)`
    select c.id as stream_id, c.name, c.description, c.rendered_description, c.date_created, c.creator_id,
           c.invite_only, c.is_web_public, c.history_public_to_subscribers, c.is_archived,
           c.message_retention_days, c.folder_id, c.weekly_traffic as stream_weekly_traffic,
           (select min(m.id) from ${messagesOfChannel}) as first_message_id, ${isRecentlyActive} as is_recently_active,
           c.can_add_subscribers_group, c.can_administer_channel_group, c.can_remove_subscribers_group,
           c.can_send_message_group, c.can_subscribe_group
      from channels c
     where c.realm_id = ${realm.id} and (${condition})`
  const groupIds = rows.flatMap((row) => channelPermissionNames.map((name) => row[name]))
  const shown = await readSettingValues(db, realm.id, groupIds)
  return rows.map((row) => channelObject(realm, row, shown)).sort(byName)
}

export function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}

function channelObject(realm: Realm, row: ChannelRow, shown: (group: number) => GroupSettingValue): ChannelObject {
  return {
    ...row,
    date_created: unixSeconds(row.date_created),
    ...postPolicy(realm, row.can_send_message_group),
    can_add_subscribers_group: shown(row.can_add_subscribers_group),
    can_administer_channel_group: shown(row.can_administer_channel_group),
    can_remove_subscribers_group: shown(row.can_remove_subscribers_group),
    can_send_message_group: shown(row.can_send_message_group),
    can_subscribe_group: shown(row.can_subscribe_group),
  }
}

const anyone = 1
const postPolicies = { 'role:administrators': 2, 'role:fullmembers': 3, 'role:moderators': 4 } as const

/** The posting permission in the forms that older clients know. */
export function postPolicy(
  { systemGroups }: Realm,
  group: number,
): Pick<ChannelObject, 'stream_post_policy' | 'is_announcement_only'> {
  const restricted = Object.entries(postPolicies).find(([name]) => lookup(systemGroups, name) === group)
  const stream_post_policy = restricted?.[1] ?? anyone
  return { stream_post_policy, is_announcement_only: stream_post_policy === postPolicies['role:administrators'] }
}

/**
 * The active subscribers of each channel, sorted by id. `visibility` is a condition on the subscriber `u`, for viewers
 * who may not see all users.
 */
export async function readSubscribers(
  db: Db,
  realmId: number,
  channelIds: number[],
  visibility: RawBuilder<unknown> = sql`true`,
): Promise<Map<number, number[]>> {
  const rows = await many<{ channel_id: number; user_ids: number[] }>(db)`
    select s.channel_id, array_agg(s.user_id order by s.user_id) as user_ids
      from subscriptions s join users u on u.realm_id = s.realm_id and u.id = s.user_id and u.is_active
     where s.realm_id = ${realmId} and s.channel_id = any(${channelIds}::bigint[]) and s.is_active and ${visibility}
     group by s.channel_id`
  return new Map(rows.map(({ channel_id, user_ids }) => [channel_id, user_ids]))
}

export async function readDefaultChannelIds(db: Db, realmId: number): Promise<number[]> {
  return column<number>(db)`
    select c.id from default_channels d join channels c on c.realm_id = d.realm_id and c.id = d.channel_id
     where d.realm_id = ${realmId} and not c.is_archived order by c.id`
}

export async function readChannelObject(db: Db, realm: Realm, id: number): Promise<ChannelObject> {
  const [channel] = await readChannels(db, realm, sql`c.id = ${id}`)
  return channel!
}
