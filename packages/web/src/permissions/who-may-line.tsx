import type { GroupSettingValue } from '@parley/api/common'
import { lookup } from '@parley/api/lookup'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { Picker } from '../settings/picker.tsx'
import { save } from '../settings/saving.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import {
  countHolders,
  groupText,
  holdersOf,
  offeredGroups,
  type PermissionRule,
  reachedUsers,
  whoMayText,
  withGroup,
  withoutHolder,
  withUser,
} from './who-may.ts'
import { explainPermission } from './why.ts'
import { WhyButton } from './why-button.tsx'

export type PermissionKind = 'realm' | 'stream' | 'group'

/** The permissions of a kind that the server supports, with the values they accept. */
export function usePermissionRules(kind: PermissionKind): Record<string, PermissionRule> {
  return useSlices().settings.server_supported_permission_settings?.[kind] ?? {}
}

/** The group that has a permission, as the server names it. */
export function holderOf(owner: object, permission: string): GroupSettingValue {
  return lookup(owner as Readonly<Record<string, GroupSettingValue>>, permission)!
}

interface WhoMayProps {
  name: string
  rule: PermissionRule
  value: GroupSettingValue
  isDisabled?: boolean
  /** Sends the change. The old value lets the server refuse it if someone else was faster. */
  onChange: (change: { new: GroupSettingValue; old: GroupSettingValue }) => Promise<unknown>
}

/** Who has a permission: groups and people as chips, and how many that is. */
export function WhoMayLine({ name, rule, value, isDisabled = false, onChange }: WhoMayProps) {
  const store = useSlices('groups', 'users', 'viewer')
  const groups = store.groups.byId
  const holders = holdersOf(value)
  const count = countHolders(store.users.byId, reachedUsers(groups, value), rule)
  const label = whoMayText(name)
  const put = (next: GroupSettingValue | undefined) => {
    if (next === undefined) return
    void save(() => onChange({ new: next, old: value }), { undo: () => onChange({ new: value, old: next }) })
  }
  const chip = (
    key: string,
    text: string,
    icon: 'shapes' | 'circle-user-round',
    next: GroupSettingValue | undefined,
  ) => (
    <span key={key} className="chip">
      <Icon name={icon} size="s" />
      {text}
      {!isDisabled && next !== undefined && next !== value && (
        <IconButton label={t('common.removeName', { name: text })} icon="x" look="tiny" onClick={() => put(next)} />
      )}
    </span>
  )
  return (
    <div className="line-item who-line">
      <div className="named">
        <b>{label}</b>
        <WhyButton of={label} explanation={explainPermission(store, value, rule.allow_everyone_group)} />
      </div>
      <div className="chips">
        {holders.groups.map((id) =>
          chip(`g${id}`, groupText(groups.get(id)), 'shapes', withoutHolder(groups, rule, value, { group: id })),
        )}
        {holders.users.map((id) =>
          chip(`u${id}`, nameOf(store, id), 'circle-user-round', withoutHolder(groups, rule, value, { user: id })),
        )}
        <span className="count">{t('people.count', { count })}</span>
        {!isDisabled && <WhoMayPicker label={label} rule={rule} value={value} onPick={put} />}
      </div>
    </div>
  )
}

interface PickerProps {
  label: string
  rule: PermissionRule
  value: GroupSettingValue
  onPick: (value: GroupSettingValue) => void
}

function WhoMayPicker({ label, rule, value, onPick }: PickerProps) {
  const store = useSlices('groups', 'users')
  const groups = store.groups.byId
  const holders = holdersOf(value)
  const offered = offeredGroups(groups, rule).filter(({ id }) => !holders.groups.includes(id))
  const people = rule.require_system_group
    ? []
    : [...store.users.byId.values()].filter((user) => user.is_active && !holders.users.includes(user.user_id))
  const options = [
    ...offered.map((group) => ({
      key: `g${group.id}`,
      label: groupText(group),
      detail: t('people.count', { count: reachedUsers(groups, group.id).size }),
      start: <Icon name="shapes" size="s" />,
      next: () => withGroup(groups, rule, value, group.id),
    })),
    ...people.map(({ user_id, full_name, email }) => ({
      key: `u${user_id}`,
      label: full_name,
      detail: email,
      start: <Icon name="circle-user-round" size="s" />,
      next: () => withUser(groups, value, user_id),
    })),
  ]
  return (
    <Picker
      label={t('who.addTo', { permission: label })}
      placeholder={rule.require_system_group ? t('who.chooseRole') : t('who.addHolder')}
      options={options}
      onPick={({ next }) => onPick(next())}
    />
  )
}
