/** The permissions of the contract. Without schemas, so that the web client can load them. */

export interface GroupSettingDeclaration {
  default: SystemGroupName
  /** The default as sent to clients, if it is the creator of the object with this setting. */
  creator?: 'stream_creator_or_nobody' | 'group_creator'
  allowsNobody: boolean
  allowsEveryone: boolean
  /** A system group that is not allowed as value, besides those that the flags above exclude. */
  refuses?: SystemGroupName
  /** The only system groups allowed as value. */
  onlySystemGroups?: SystemGroupName[]
}

export const systemGroupNames = [
  'role:nobody',
  'role:owners',
  'role:administrators',
  'role:moderators',
  'role:fullmembers',
  'role:members',
  'role:everyone',
  'role:internet',
] as const
export type SystemGroupName = (typeof systemGroupNames)[number]

const group = (
  name: SystemGroupName,
  allowed: 'nobody' | 'everyone' | 'both' | 'neither',
  onlySystemGroups?: SystemGroupName[],
): GroupSettingDeclaration => ({
  default: name,
  allowsNobody: allowed === 'nobody' || allowed === 'both',
  allowsEveryone: allowed === 'everyone' || allowed === 'both',
  ...(onlySystemGroups && { onlySystemGroups }),
})

export const realmGroupSettings = {
  can_access_all_users_group: group('role:everyone', 'everyone', ['role:everyone', 'role:members']),
  can_add_custom_emoji_group: group('role:members', 'nobody'),
  can_add_subscribers_group: group('role:members', 'nobody'),
  can_create_bots_group: group('role:members', 'nobody'),
  can_create_write_only_bots_group: group('role:members', 'nobody'),
  can_create_groups: group('role:members', 'nobody'),
  can_create_public_channel_group: group('role:members', 'nobody'),
  can_create_private_channel_group: group('role:members', 'nobody'),
  can_create_web_public_channel_group: group('role:owners', 'nobody', [
    'role:moderators',
    'role:administrators',
    'role:owners',
    'role:nobody',
  ]),
  can_delete_any_message_group: group('role:administrators', 'nobody'),
  can_delete_own_message_group: group('role:everyone', 'both'),
  can_invite_users_group: group('role:members', 'nobody'),
  create_multiuse_invite_group: group('role:administrators', 'nobody'),
  can_manage_all_groups: group('role:owners', 'neither'),
  can_manage_billing_group: group('role:administrators', 'neither'),
  can_mention_many_users_group: group('role:administrators', 'both'),
  can_move_messages_between_channels_group: group('role:members', 'nobody'),
  can_move_messages_between_topics_group: group('role:everyone', 'both'),
  can_resolve_topics_group: group('role:everyone', 'both'),
  can_summarize_topics_group: group('role:everyone', 'both'),
  direct_message_initiator_group: group('role:everyone', 'both'),
  direct_message_permission_group: group('role:everyone', 'both'),
} satisfies Record<string, GroupSettingDeclaration>
export type RealmGroupSetting = keyof typeof realmGroupSettings

export const channelGroupSettings = {
  can_add_subscribers_group: group('role:nobody', 'nobody'),
  can_administer_channel_group: { ...group('role:nobody', 'nobody'), creator: 'stream_creator_or_nobody' },
  can_remove_subscribers_group: group('role:administrators', 'both'),
  can_send_message_group: group('role:everyone', 'both'),
  can_subscribe_group: group('role:nobody', 'nobody'),
} satisfies Record<string, GroupSettingDeclaration>

export const userGroupSettings = {
  can_add_members_group: { ...group('role:nobody', 'nobody'), creator: 'group_creator' },
  can_join_group: group('role:nobody', 'nobody'),
  can_leave_group: group('role:everyone', 'both'),
  can_manage_group: { ...group('role:nobody', 'nobody'), creator: 'group_creator' },
  can_mention_group: { ...group('role:everyone', 'both'), refuses: 'role:owners' },
  can_remove_members_group: group('role:nobody', 'nobody'),
} satisfies Record<string, GroupSettingDeclaration>

/** Organization settings that only owners can change. */
export const ownerOnlySettings: ReadonlySet<string> = new Set([
  'authentication_methods',
  'second_factor_required_from',
  'invite_required',
  'emails_restricted_to_domains',
  'disallow_disposable_email_addresses',
  'waiting_period_threshold',
  'message_retention_days',
  'enable_spectator_access',
  'can_create_groups',
  'can_invite_users_group',
  'create_multiuse_invite_group',
  'can_manage_all_groups',
  'can_manage_billing_group',
])
