import { askPermission, type PermissionState, usePermission } from '../notify/permission.ts'
import { playSound } from '../notify/sounds.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card, Line, Select, SelectLine, SwitchLine } from './controls.tsx'
import { channelsOfNotice, noticeRows } from './model.ts'
import { useOwnSettings } from './use-settings.ts'

const followPolicies = [
  [1, 'Topics I take part in'],
  [2, 'Topics I write in'],
  [3, 'Topics I start'],
  [4, 'Never'],
] as const
const delays = [
  [30, 'Half a minute'],
  [60, '1 minute'],
  [120, '2 minutes'],
  [300, '5 minutes'],
  [600, '10 minutes'],
  [1800, 'Half an hour'],
  [3600, '1 hour'],
  [86_400, '1 day'],
] as const

const iconCounts = [
  [1, 'All unread messages'],
  [2, 'Direct, mentions and followed topics'],
  [3, 'Direct messages and mentions'],
  [4, 'None'],
] as const

const permissionTexts: Record<PermissionState, string> = {
  granted: 'This browser shows them',
  default: 'This browser has not been asked yet',
  denied: 'Blocked. Allow notifications for this site in the settings of your browser',
  unsupported: 'This browser shows none here. They need HTTPS',
}

export function NotificationsPage() {
  const { get, set } = useOwnSettings()
  const flag = (name: string) => ({ isOn: get(name) === true, onChange: (isOn: boolean) => void set(name, isOn) })
  const sounds = ((get('available_notification_sounds') as string[] | undefined) ?? []).map(
    (one) => [one, one] as const,
  )
  return (
    <>
      <Card title="Notify me about" text="What you mute stays silent, unless someone mentions you by name.">
        <Matrix />
        <SwitchLine
          label="Mentions of everyone"
          detail="@all in channels counts as a mention of you"
          {...flag('wildcard_mentions_notify')}
        />
        <SwitchLine
          label="Mentions of everyone in followed topics"
          {...flag('enable_followed_topic_wildcard_mentions_notify')}
        />
      </Card>
      <Card title="Desktop and sound">
        <PermissionLine />
        <SwitchLine
          label="Show the text of direct messages"
          detail="In desktop notifications"
          {...flag('pm_content_in_desktop_notifications')}
        />
        <Line label="Sound">
          <Button look="outline" onClick={() => playSound(String(get('notification_sound')))}>
            Play
          </Button>
          <Select
            label="Sound"
            value={String(get('notification_sound'))}
            choices={[...sounds, ['none', 'None']]}
            onChange={(sound) => {
              playSound(sound)
              void set('notification_sound', sound)
            }}
          />
        </Line>
        <SelectLine
          label="Number on the icon and in the title"
          value={Number(get('desktop_icon_count_display'))}
          choices={iconCounts}
          onChange={(choice) => void set('desktop_icon_count_display', choice)}
        />
        <SwitchLine label="Phone also while you are active here" {...flag('enable_online_push_notifications')} />
      </Card>
      <Card title="Following topics" text="Topics that you follow notify you as set above.">
        <SelectLine
          label="Follow by itself"
          value={Number(get('automatically_follow_topics_policy'))}
          choices={followPolicies}
          onChange={(policy) => void set('automatically_follow_topics_policy', policy)}
        />
        <SwitchLine
          label="Follow topics where I am mentioned"
          {...flag('automatically_follow_topics_where_mentioned')}
        />
        <SelectLine
          label="Unmute topics in muted channels"
          value={Number(get('automatically_unmute_topics_in_muted_streams_policy'))}
          choices={followPolicies}
          onChange={(policy) => void set('automatically_unmute_topics_in_muted_streams_policy', policy)}
        />
      </Card>
      <Card title="Email">
        <SelectLine
          label="Wait before sending"
          detail="Messages that you read in the meantime are left out"
          value={Number(get('email_notifications_batching_period_seconds'))}
          choices={delays}
          onChange={(seconds) => void set('email_notifications_batching_period_seconds', seconds)}
        />
        <SwitchLine label="Include the text of messages" {...flag('message_content_in_email_notifications')} />
        <SwitchLine label="Digest when you were away" {...flag('enable_digest_emails')} />
        <SwitchLine label="Tell me about new sign-ins" {...flag('enable_login_emails')} />
      </Card>
    </>
  )
}

/** Whether this browser may show notifications. It can be asked only once, by a click. */
function PermissionLine() {
  const permission = usePermission()
  return (
    <Line label="Desktop notifications" detail={permissionTexts[permission]}>
      {permission === 'default' && (
        <Button look="primary" onClick={() => void askPermission()}>
          Turn on
        </Button>
      )}
    </Line>
  )
}

function Matrix() {
  const { get, set } = useOwnSettings()
  return (
    <table className="matrix">
      <thead>
        <tr>
          <th scope="col">
            <span className="hidden">Messages</span>
          </th>
          {channelsOfNotice.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {noticeRows.map(({ label, detail, settings }) => (
          <tr key={label}>
            <td>
              <b>{label}</b>
              <span className="d">{detail}</span>
            </td>
            {settings.map((name, index) => (
              <td key={name}>
                <Check
                  label={`${label}: ${channelsOfNotice[index]}`}
                  isOn={get(name) === true}
                  onChange={(isOn) => void set(name, isOn)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Check({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={isOn}
      aria-label={label}
      className={`check ${isOn ? 'on' : ''}`}
      onClick={() => onChange(!isOn)}
    >
      {isOn && <Icon name="check" />}
    </button>
  )
}
