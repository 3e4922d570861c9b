import { vipsOf } from '@parley/client/messages/notifications'
import { PresentAvatar } from '../../people/avatar.tsx'
import { nameOf } from '../../people/presence.ts'
import { t } from '../../platform/i18n.ts'
import { useSlices } from '../../session/context.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Card } from '../controls.tsx'
import { Picker } from '../picker.tsx'
import { useOwnSettings } from '../use-settings.ts'

const most = 50

/** People whose messages come through pauses and quiet hours. */
export function VipCard() {
  const store = useSlices('users')
  const { get, set } = useOwnSettings()
  const ids = vipsOf(get('notification_vips'))
  const change = (next: number[]) => void set('notification_vips', next.join())
  const people = [...store.users.byId.values()].filter(
    ({ user_id, is_active, is_bot }) =>
      is_active && !is_bot && user_id !== store.settings.user_id && !ids.includes(user_id),
  )
  return (
    <Card title={t('vips.title')} text={t('vips.text')}>
      <div className="chips vips">
        {ids.map((id) => (
          <span key={id} className="chip">
            <PresentAvatar userId={id} />
            {nameOf(store, id)}
            <IconButton
              label={t('common.removeName', { name: nameOf(store, id) })}
              icon="x"
              look="tiny"
              onClick={() => change(ids.filter((one) => one !== id))}
            />
          </span>
        ))}
        {ids.length < most && (
          <Picker
            label={t('vips.add')}
            placeholder={t('vips.add')}
            options={people.map(({ user_id, full_name, email }) => ({
              key: String(user_id),
              label: full_name,
              detail: email,
            }))}
            onPick={({ key }) => change([...ids, Number(key)])}
          />
        )}
      </div>
    </Card>
  )
}
