import {
  channelGroupSettings,
  type GroupSettingDeclaration,
  realmGroupSettings,
  type SystemGroupName,
  userGroupSettings,
} from '@parley/api/permission-settings'

/** Tells clients which groups a setting accepts. */
function described(declared: GroupSettingDeclaration, forSystemGroups: SystemGroupName | null) {
  return {
    require_system_group: declared.onlySystemGroups !== undefined,
    allow_internet_group: false,
    allow_nobody_group: declared.allowsNobody,
    allow_everyone_group: declared.allowsEveryone,
    default_group_name: declared.creator ?? declared.default,
    default_for_system_groups: forSystemGroups,
    allowed_system_groups: declared.onlySystemGroups ?? [],
  }
}

function describedAll(
  settings: Record<string, GroupSettingDeclaration>,
  forSystemGroups: SystemGroupName | null = null,
) {
  return Object.fromEntries(
    Object.entries(settings).map(([name, declared]) => [name, described(declared, forSystemGroups)]),
  )
}

export const supportedPermissionSettings = {
  realm: describedAll(realmGroupSettings),
  stream: describedAll(channelGroupSettings),
  group: describedAll(userGroupSettings, 'role:nobody'),
}
