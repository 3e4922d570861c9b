import type { GroupSettingValue } from '@parley/api/common'
import { ownerOnlySettings } from '@parley/api/permission-settings'
import { usePermissionRules, WhoMayLine } from '../permissions/who-may-line.tsx'
import { t } from '../platform/i18n.ts'
import { Card } from '../settings/controls.tsx'
import { useRealmSettings } from './use-realm.ts'

/** Without effect here. They exist for clients of other servers. */
const unused = new Set(['can_manage_billing_group', 'can_summarize_topics_group'])

export function PermissionsPage() {
  const rules = usePermissionRules('realm')
  const { get, put, isOwner } = useRealmSettings()
  return (
    <Card title={t('permissions.title')} text={t('permissions.text')}>
      {Object.entries(rules).map(([name, rule]) => {
        const value = get(name) as GroupSettingValue | undefined
        if (value === undefined || unused.has(name)) return null
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
