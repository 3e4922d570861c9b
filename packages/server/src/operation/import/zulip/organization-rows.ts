import { lookup } from '@parley/api/lookup'
import { realmGroupSettings } from '@parley/api/permission-settings'
import { clean, idsIn, type Row } from '../rows/row-values.ts'
import { type PolicyGroups, policyGroups } from './old-policies.ts'
import type { Tables } from './zulip-tables.ts'

const historyPolicies: Record<number, string> = { 1: 'all', 2: 'moves', 3: 'none' }

export function realmRow(tables: Tables): Row {
  const realm = tables.rows('realm')[0]!
  const { topics_policy, mandatory_topics, allow_edit_history, message_edit_history_visibility_policy: policy } = realm
  return {
    ...realm,
    settings: {
      ...realm,
      mandatory_topics: topics_policy === undefined ? mandatory_topics === true : topics_policy === 3,
      message_edit_history_visibility_policy:
        typeof policy === 'number' ? historyPolicies[policy] : allow_edit_history === false ? 'none' : 'all',
      message_retention_days: realm.message_retention_days ?? -1,
      giphy_rating: realm.gif_rating_policy ?? realm.giphy_rating,
      moderation_request_channel_id: realm.moderation_request_channel ?? -1,
      new_stream_announcements_stream_id: realm.new_stream_announcements_stream ?? realm.notifications_stream ?? -1,
      signup_announcements_stream_id: realm.signup_announcements_stream ?? realm.signup_notifications_stream ?? -1,
      zulip_update_announcements_stream_id: realm.zulip_update_announcements_stream ?? -1,
    },
    user_settings_defaults: tables.rows('realmuserdefault')[0] ?? {},
  }
}

export function permissionRows(tables: Tables): Row[] {
  const realm = tables.rows('realm')[0]!
  const old = policyGroups(tables)
  return Object.keys(realmGroupSettings).flatMap((setting) => {
    const group_id = lookup(realm, setting) ?? old.ofRealm(realm, setting)
    return typeof group_id === 'number' ? [{ setting, group_id }] : []
  })
}

/** Named groups stand in a table of their own since version 9. */
export function groupRows(tables: Tables): Row[] {
  const named = tables.has('namedusergroup')
    ? new Map(tables.rows('namedusergroup').map((row) => [row.usergroup_ptr ?? row.id, row]))
    : new Map(tables.rows('usergroup').map((row) => [row.id, row]))
  const members = grouped(tables.rows('usergroupmembership'), 'user_group', 'user_profile')
  const subgroups = grouped(tables.rows('groupgroupmembership'), 'supergroup', 'subgroup')
  return tables.rows('usergroup').map(({ id }) => {
    const group = named.get(id)
    return {
      ...group,
      id,
      name: group ? clean(group.name).replace(/^@role:/, 'role:') : null,
      creator_id: group?.creator,
      date_created: group?.date_created ?? null,
      members: members.get(id) ?? [],
      subgroups: subgroups.get(id) ?? [],
    }
  })
}

export function grouped(rows: Row[], by: string, value: string): Map<unknown, number[]> {
  const found = new Map<unknown, number[]>()
  for (const row of rows) {
    const list = found.get(lookup(row, by)) ?? []
    list.push(...idsIn([lookup(row, value)]))
    found.set(lookup(row, by), list)
  }
  return found
}

export function channelRows(tables: Tables): Row[] {
  const old: PolicyGroups = policyGroups(tables)
  return tables.rows('stream').map((row) => ({
    ...row,
    name: clean(row.name).replace(/^!*DEACTIVATED:/, ''),
    creator_id: row.creator,
    folder_id: row.folder,
    is_archived: row.deactivated === true,
    can_send_message_group: row.can_send_message_group ?? old.ofSending(row.stream_post_policy),
    can_remove_subscribers_group: row.can_remove_subscribers_group,
  }))
}

export function userRows(tables: Tables): Row[] {
  const people = [...tables.rows('userprofile'), ...tables.rows('userprofile_mirrordummy')]
  return [
    ...tables.rows('userprofile_crossrealm').map(({ id, email }) => ({ id, email, is_system_bot: true, bot_type: 1 })),
    ...people.map((row) => ({
      ...row,
      bot_type: row.is_bot === false ? null : row.bot_type,
      bot_owner_id: row.bot_owner,
      is_active: row.is_active !== false && row.is_mirror_dummy !== true,
      settings: row,
    })),
  ]
}

export function fieldRows(tables: Tables): Row[] {
  return tables.rows('customprofilefield').map((row) => ({ ...row, place: row.order }))
}

export function ofUser(rows: Row[], more: (row: Row) => Row = () => ({})): Row[] {
  return rows.map((row) => ({ ...row, user_id: row.user_profile, ...more(row) }))
}
