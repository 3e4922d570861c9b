import { Card, SelectLine, SwitchLine } from './controls.tsx'
import { useOwnSettings } from './use-settings.ts'

const emailViewers = [
  [1, 'Everyone'],
  [2, 'Members, not guests'],
  [5, 'Moderators and above'],
  [3, 'Administrators'],
  [4, 'Nobody'],
] as const

export function PrivacyPage() {
  const { get, set } = useOwnSettings()
  const flag = (name: string) => ({ isOn: get(name) === true, onChange: (isOn: boolean) => void set(name, isOn) })
  return (
    <>
      <Card title="What others see">
        <SelectLine
          label="Who sees your email"
          value={Number(get('email_address_visibility'))}
          choices={emailViewers}
          onChange={(who) => void set('email_address_visibility', who)}
        />
        <SwitchLine label="That you are online" {...flag('presence_enabled')} />
        <SwitchLine label="That you read a message" {...flag('send_read_receipts')} />
        <SwitchLine label="That you type in direct messages" {...flag('send_private_typing_notifications')} />
        <SwitchLine label="That you type in channels" {...flag('send_stream_typing_notifications')} />
      </Card>
      <Card title="What you see">
        <SwitchLine label="That others type" {...flag('receives_typing_notifications')} />
      </Card>
      <Card title="Your data">
        <SwitchLine
          label="Private messages may be exported"
          detail="If an administrator exports the organization's data"
          {...flag('allow_private_data_export')}
        />
      </Card>
    </>
  )
}
