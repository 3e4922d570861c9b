import type { GroupSettingValue } from '@parley/api/common'
import { ownerOnlySettings } from '@parley/api/settings'
import { t } from '../platform/i18n.ts'
import { Card } from '../settings/controls.tsx'
import { usePermissionRules, WhoMayLine } from '../settings/who-may-line.tsx'
import { useRealmSettings } from './use-realm.ts'

export function PermissionsPage() {
  const rules = usePermissionRules('realm')
  const { get, put, isOwner } = useRealmSettings()
  return (
    <Card title={t('permissions.title')} text={t('permissions.text')}>
      {Object.entries(rules).map(([name, rule]) => {
        const value = get(name) as GroupSettingValue | undefined
        if (value === undefined) return null
        return (
          <WhoMayLine
            key={name}
            name={name}
            rule={rule}
            value={value}
            isDisabled={ownerOnlySettings.has(name) && !isOwner}
            onChange={(change) => put(name, change)}
          />
        )
      })}
    </Card>
  )
}
