import { nextQuiet, quietUntil } from '@parley/client/messages/quiet-hours'
import { useEffect, useState } from 'react'
import { ScheduleDialog } from '../../compose/scheduled/schedule-dialog.tsx'
import { t } from '../../platform/i18n.ts'
import { clockTime, dayOf, longTime } from '../../platform/times.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useOwnSettings } from '../use-settings.ts'

/** Whether notifications are on, and how to pause them. */
export function PauseCard() {
  const { get, set } = useOwnSettings()
  const [isChoosing, setChoosing] = useState(false)
  const now = useMinute()
  const settings = {
    quiet_hours: get('quiet_hours'),
    timezone: get('timezone'),
    notifications_paused_until: get('notifications_paused_until'),
  }
  const until = quietUntil(settings, now)
  const isPaused = settings.notifications_paused_until > now
  const pause = (end: number) => set('notifications_paused_until', Math.floor(end))
  const next = nextQuiet(settings, now)
  const detail = [
    until === undefined && next !== undefined && t('pause.next', { time: timeOf(next) }),
    until !== undefined && get('show_notification_pauses') && t('pause.seen'),
    until !== undefined && get('notification_vips') !== '' && t('pause.vips'),
  ].filter(Boolean)
  return (
    <section className="card" aria-label={t('pause.title')}>
      <div className="pause-line">
        <span className="state">
          <span className={`kind ${until === undefined ? '' : 'quiet'}`}>
            <Icon name={until === undefined ? 'bell' : 'bell-off'} />
          </span>
          <span role="status">
            <b>{titleOf(until, isPaused)}</b>
            {detail.length > 0 && <span className="d">{detail.join(' ')}</span>}
          </span>
        </span>
        {isPaused ? (
          <>
            <Button look="outline" onClick={() => pause(settings.notifications_paused_until + 3600)}>
              {t('pause.longer')}
            </Button>
            <Button look="outline" onClick={() => set('notifications_paused_until', 0)}>
              {t('pause.end')}
            </Button>
          </>
        ) : (
          <>
            <Button look="outline" onClick={() => pause(Date.now() / 1000 + 1800)}>
              {t('duration.halfHour')}
            </Button>
            <Button look="outline" onClick={() => pause(Date.now() / 1000 + 3600)}>
              {t('duration.hour1')}
            </Button>
            <Button look="outline" onClick={() => pause(tomorrow())}>
              {t('pause.tomorrow')}
            </Button>
            <Button icon="clock" onClick={() => setChoosing(true)}>
              {t('pause.choose')}
            </Button>
          </>
        )}
      </div>
      {isChoosing && (
        <ScheduleDialog
          title={t('pause.choose')}
          action={t('pause.action')}
          at={Math.floor(Date.now() / 1000) + 7200}
          onSave={pause}
          onClose={() => setChoosing(false)}
        />
      )}
    </section>
  )
}

function titleOf(until: number | undefined, isPaused: boolean): string {
  if (until === undefined) return t('pause.on')
  return t(isPaused ? 'pause.until' : 'pause.quiet', { time: timeOf(until) })
}

function timeOf(seconds: number): string {
  return dayOf(seconds) === dayOf(Date.now() / 1000) ? clockTime(seconds) : longTime(seconds)
}

const morning = 8

function tomorrow(): number {
  const date = new Date()
  date.setDate(date.getDate() + 1)
  date.setHours(morning, 0, 0, 0)
  return date.getTime() / 1000
}

/** The time, again every half minute. */
function useMinute(): number {
  const [now, setNow] = useState(() => Date.now() / 1000)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 30_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
