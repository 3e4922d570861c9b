import { lookup } from '@parley/api/lookup'
import type { Row } from '../rows/row-values.ts'
import type { Tables } from './zulip-tables.ts'

/** Up to version 9 or 10, permissions were numbers. By our setting: their column, and the kind of its numbers. */
const columns: Record<string, [column: string, kind: 'usual' | 'wildcard' | 'bots']> = {
  can_create_public_channel_group: ['create_public_stream_policy', 'usual'],
  can_create_private_channel_group: ['create_private_stream_policy', 'usual'],
  can_create_web_public_channel_group: ['create_web_public_stream_policy', 'usual'],
  can_add_subscribers_group: ['invite_to_stream_policy', 'usual'],
  can_invite_users_group: ['invite_to_realm_policy', 'usual'],
  can_move_messages_between_channels_group: ['move_messages_between_streams_policy', 'usual'],
  can_move_messages_between_topics_group: ['edit_topic_policy', 'usual'],
  can_delete_own_message_group: ['delete_own_message_policy', 'usual'],
  can_add_custom_emoji_group: ['add_custom_emoji_policy', 'usual'],
  can_create_groups: ['user_group_edit_policy', 'usual'],
  can_mention_many_users_group: ['wildcard_mention_policy', 'wildcard'],
  can_create_bots_group: ['bot_creation_policy', 'bots'],
}

const groupsOf = {
  usual: {
    1: 'members',
    2: 'administrators',
    3: 'fullmembers',
    4: 'moderators',
    5: 'everyone',
    6: 'nobody',
    7: 'owners',
  },
  wildcard: { 1: 'everyone', 2: 'members', 3: 'fullmembers', 5: 'administrators', 6: 'nobody', 7: 'moderators' },
  bots: { 1: 'members', 2: 'members', 3: 'administrators' },
  sending: { 1: 'everyone', 2: 'administrators', 3: 'fullmembers', 4: 'moderators' },
}

export interface PolicyGroups {
  ofRealm(realm: Row, setting: string): number | undefined
  ofSending(policy: unknown): number | undefined
}

/** The system groups that stand for the numbers. */
export function policyGroups(tables: Tables): PolicyGroups {
  const rows = tables.has('namedusergroup') ? tables.rows('namedusergroup') : tables.rows('usergroup')
  const ids = new Map(rows.map((row) => [String(row.name).replace(/^@?role:/, ''), row.usergroup_ptr ?? row.id]))
  const groupFor = (kind: keyof typeof groupsOf, policy: unknown) => {
    const name = lookup<string>(groupsOf[kind], String(policy))
    return name === undefined ? undefined : (ids.get(name) as number | undefined)
  }
  return {
    ofRealm(realm, setting) {
      const [column, kind] = lookup(columns, setting) ?? []
      return column === undefined ? undefined : groupFor(kind!, lookup(realm, column))
    },
    ofSending: (policy) => groupFor('sending', policy),
  }
}
