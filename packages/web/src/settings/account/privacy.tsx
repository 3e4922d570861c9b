import { t } from '../../platform/i18n.ts'
import { named, SelectLine } from '../choices.tsx'
import { Card, SwitchLine } from '../controls.tsx'
import { useOwnSettings } from '../use-settings.ts'

const emailViewers = [
  [1, 'who.everyone'],
  [2, 'who.members'],
  [5, 'who.moderators'],
  [3, 'who.administrators'],
  [4, 'who.nobody'],
] as const

export function PrivacyPage() {
  const { get, set, flag } = useOwnSettings()
  return (
    <>
      <Card title={t('privacy.others')}>
        <SelectLine
          label={t('privacy.email')}
          value={get('email_address_visibility')}
          choices={named(emailViewers)}
          onChange={(who) => set('email_address_visibility', who)}
        />
        <SwitchLine label={t('privacy.presence')} {...flag('presence_enabled')} />
        <SwitchLine label={t('privacy.receipts')} {...flag('send_read_receipts')} />
        <SwitchLine label={t('privacy.typingDirect')} {...flag('send_private_typing_notifications')} />
        <SwitchLine label={t('privacy.typingChannel')} {...flag('send_stream_typing_notifications')} />
      </Card>
      <Card title={t('privacy.you')}>
        <SwitchLine label={t('privacy.othersType')} {...flag('receives_typing_notifications')} />
      </Card>
      <Card title={t('privacy.data')}>
        <SwitchLine
          label={t('privacy.export')}
          detail={t('privacy.export.text')}
          {...flag('allow_private_data_export')}
        />
      </Card>
    </>
  )
}
