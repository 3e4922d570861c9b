import { askPermission, usePermission } from '../../notify/permission.ts'
import { playSound } from '../../notify/sounds.ts'
import { explainText } from '../../permissions/why.ts'
import { t } from '../../platform/i18n.ts'
import { useSlices } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { named, Select, SelectLine } from '../choices.tsx'
import { Card, Line, SwitchLine } from '../controls.tsx'
import { channelsOfNotice, noticeRows } from '../model.ts'
import { permissionTexts } from './outcome-texts.ts'
import { PauseCard } from './pause-card.tsx'
import { PushLine } from './push-line.tsx'
import { QuietCard } from './quiet-card.tsx'
import { VipCard } from './vip-card.tsx'
import { WaysCard } from './ways-card.tsx'
import './notifications.css'
import { useOwnSettings } from '../use-settings.ts'

const followPolicies = [
  [1, 'follow.takePart'],
  [2, 'follow.write'],
  [3, 'follow.start'],
  [4, 'common.never'],
] as const
const delays = [
  [30, 'duration.halfMinute'],
  [60, 'duration.minute1'],
  [120, 'duration.minutes2'],
  [300, 'duration.minutes5'],
  [600, 'duration.minutes10'],
  [1800, 'duration.halfHour'],
  [3600, 'duration.hour1'],
  [86_400, 'duration.day1'],
] as const

const iconCounts = [
  [1, 'iconCount.all'],
  [2, 'iconCount.followed'],
  [3, 'notices.personal'],
  [4, 'common.none'],
] as const

/** Undefined: emails about messages work. */
function useEmailProblem(): string | undefined {
  return useSlices().settings.server_sends_email_notifications === false ? t('notices.noEmail') : undefined
}

export function NotificationsPage() {
  const { get, set, flag } = useOwnSettings()
  const { realm } = useSlices('realm')
  const emailProblem = useEmailProblem()
  const noEmail = emailProblem === undefined ? undefined : explainText(emailProblem)
  const isTextAllowed = realm.settings.message_content_allowed_in_email_notifications !== false
  const sounds = get('available_notification_sounds').map((one) => [one, one] as const)
  return (
    <>
      <PauseCard />
      <QuietCard />
      <VipCard />
      <Card title={t('notices.title')} text={t('notices.text')}>
        <Matrix />
        <SwitchLine
          label={t('notices.everyone')}
          detail={t('notices.everyone.text')}
          {...flag('wildcard_mentions_notify')}
        />
        <SwitchLine label={t('notices.everyoneFollowed')} {...flag('enable_followed_topic_wildcard_mentions_notify')} />
      </Card>
      <WaysCard />
      <Card title={t('notices.desktopAndSound')}>
        <PermissionLine />
        <PushLine />
        <SwitchLine
          label={t('notices.directText')}
          detail={t('notices.directText.text')}
          {...flag('pm_content_in_desktop_notifications')}
        />
        <Line label={t('notices.sound')}>
          <Button look="outline" onClick={() => playSound(get('notification_sound'))}>
            {t('notices.play')}
          </Button>
          <Select
            label={t('notices.sound')}
            value={get('notification_sound')}
            choices={[...sounds, ['none', t('notices.noSound')]]}
            onChange={(sound) => {
              playSound(sound)
              void set('notification_sound', sound)
            }}
          />
        </Line>
        <SelectLine
          label={t('notices.iconCount')}
          value={get('desktop_icon_count_display')}
          choices={named(iconCounts)}
          onChange={(choice) => set('desktop_icon_count_display', choice)}
        />
        <SwitchLine label={t('notices.onlinePush')} {...flag('enable_online_push_notifications')} />
      </Card>
      <Card title={t('follow.title')} text={t('follow.text')}>
        <SelectLine
          label={t('follow.automatic')}
          value={get('automatically_follow_topics_policy')}
          choices={named(followPolicies)}
          onChange={(policy) => set('automatically_follow_topics_policy', policy)}
        />
        <SwitchLine label={t('follow.mentioned')} {...flag('automatically_follow_topics_where_mentioned')} />
        <SelectLine
          label={t('follow.unmute')}
          value={get('automatically_unmute_topics_in_muted_streams_policy')}
          choices={named(followPolicies)}
          onChange={(policy) => set('automatically_unmute_topics_in_muted_streams_policy', policy)}
        />
      </Card>
      <Card title={t('people.email')} text={emailProblem ?? t('notices.email.text')}>
        <SelectLine
          label={t('notices.wait')}
          detail={t('notices.wait.text')}
          value={get('email_notifications_batching_period_seconds')}
          choices={named(delays)}
          mayNot={noEmail}
          onChange={(seconds) => set('email_notifications_batching_period_seconds', seconds)}
        />
        <SwitchLine
          label={t('notices.emailText')}
          mayNot={noEmail ?? (isTextAllowed ? undefined : explainText(t('notices.emailText.forbidden')))}
          {...flag('message_content_in_email_notifications')}
        />
        <SwitchLine label={t('notices.signIns')} {...flag('enable_login_emails')} />
      </Card>
    </>
  )
}

/** Whether this browser may show notifications. It can be asked only once, by a click. */
function PermissionLine() {
  const permission = usePermission()
  return (
    <Line label={t('notify.bar')} detail={t(permissionTexts[permission])}>
      {permission === 'default' && (
        <Button look="primary" onClick={() => void askPermission()}>
          {t('notify.bar.on')}
        </Button>
      )}
    </Line>
  )
}

function Matrix() {
  const { get, set } = useOwnSettings()
  const emailProblem = useEmailProblem()
  const problemOf = (column: number) => (channelsOfNotice[column] === 'people.email' ? emailProblem : undefined)
  return (
    <table className="matrix">
      <thead>
        <tr>
          <th scope="col">
            <span className="hidden">{t('feed.messages')}</span>
          </th>
          {channelsOfNotice.map((name) => (
            <th key={name} scope="col">
              {t(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {noticeRows.map(({ label, detail, settings }) => (
          <tr key={label}>
            <td>
              <b>{t(label)}</b>
              <span className="d">{t(detail)}</span>
            </td>
            {settings.map((name, index) => (
              <td key={name}>
                <Check
                  label={t('notices.cell', { row: t(label), column: t(channelsOfNotice[index]!) })}
                  isOn={get(name)}
                  problem={problemOf(index)}
                  onChange={(isOn) => set(name, isOn)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface CheckProps {
  label: string
  isOn: boolean
  /** Why it has no effect. */
  problem: string | undefined
  onChange: (isOn: boolean) => void
}

function Check({ label, isOn, problem, onChange }: CheckProps) {
  return (
    <span className={`check ${isOn ? 'on' : ''}`}>
      <input
        type="checkbox"
        checked={isOn}
        aria-label={label}
        disabled={problem !== undefined}
        title={problem}
        onChange={() => onChange(!isOn)}
      />
      {isOn && <Icon name="check" />}
    </span>
  )
}
