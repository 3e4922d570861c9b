import {
  clockOf,
  formatQuietHours,
  minuteOfWeek,
  parseQuietHours,
  type QuietSpan,
} from '@parley/client/messages/quiet-hours'
import { dateLocale, list, t } from '../../platform/i18n.ts'
import { Select } from '../choices.tsx'
import { Card, SwitchLine } from '../controls.tsx'
import { useOwnSettings } from '../use-settings.ts'

type Week = (QuietSpan | undefined)[]

const dayMinutes = 1440
const usual: QuietSpan = { from: 19 * 60, to: 8 * 60 }
const wholeDay: QuietSpan = { from: 0, to: dayMinutes }
const halfHours = Array.from({ length: 48 }, (_, index) => index * 30)
const allDay = -1

/** When nothing disturbs the viewer, by the days of the week. */
export function QuietCard() {
  const { get, setAll, flag } = useOwnSettings()
  const week = parseQuietHours(get('quiet_hours')) ?? Array(7).fill(undefined)
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zone = get('timezone') || ownZone
  const minute = minuteOfWeek(Date.now() / 1000, zone)
  const change = (index: number, span: QuietSpan | undefined) => {
    const quiet_hours = formatQuietHours(week.map((day, place) => (place === index ? span : day)))
    // They count by the clock of a zone, so one has to be known.
    return setAll({ quiet_hours, ...(get('timezone') === '' && { timezone: ownZone }) })
  }
  return (
    <Card title={t('quiet.title')} text={t('quiet.text', { zone: zone.replaceAll('_', ' ') })}>
      <div className="week">
        <div className="hours" aria-hidden="true">
          <span />
          <span>
            {[0, 6, 12, 18, 24].map((hour) => (
              <span key={hour}>{hour}</span>
            ))}
          </span>
        </div>
        {week.map((_, index) => (
          <Day
            key={dayNameOf(index, 'long')}
            week={week}
            index={index}
            minute={Math.floor(minute / dayMinutes) === index ? minute % dayMinutes : undefined}
            onChange={(span) => change(index, span)}
          />
        ))}
      </div>
      <SwitchLine label={t('quiet.show')} detail={t('quiet.show.text')} {...flag('show_notification_pauses')} />
    </Card>
  )
}

interface DayProps {
  week: Week
  index: number
  /** Now, if it is this day. */
  minute: number | undefined
  onChange: (span: QuietSpan | undefined) => Promise<unknown>
}

function Day({ week, index, minute, onChange }: DayProps) {
  const span = week[index]
  const day = dayNameOf(index, 'long')
  const isAllDay = span?.from === wholeDay.from && span.to === wholeDay.to
  const times = halfHours.map((at) => [at, clockOf(at)] as const)
  const parts = quietParts(week, index)
  const spoken = parts.map(({ from, to }) => `${clockOf(from)}–${clockOf(to)}`)
  return (
    <div className={`day-row ${minute === undefined ? '' : 'today'}`}>
      <b>
        <span className="wide">{day}</span>
        <span className="narrow">{dayNameOf(index, 'short')}</span>
      </b>
      <span
        className="track"
        role="img"
        aria-label={parts.length === 0 ? t('quiet.none', { day }) : t('quiet.spans', { day, spans: list(spoken) })}
      >
        {parts.map(({ from, to }) => (
          <i key={from} style={{ '--from': percent(from), '--long': percent(to - from) } as React.CSSProperties} />
        ))}
        {minute !== undefined && <i className="now" style={{ '--from': percent(minute) } as React.CSSProperties} />}
      </span>
      <span className="span-pick">
        {span && (
          <Select
            label={t('quiet.from', { day })}
            value={isAllDay ? allDay : span.from}
            choices={[[allDay, t('quiet.allDay')], ...times]}
            onChange={(from) => onChange(fromChosen(span, from))}
          />
        )}
        {span && !isAllDay && (
          <>
            {t('quiet.to')}
            <Select
              label={t('quiet.until', { day })}
              value={span.to}
              choices={[...times, [dayMinutes, clockOf(dayMinutes)]]}
              onChange={(to) => onChange({ ...span, to })}
            />
          </>
        )}
      </span>
      <button
        type="button"
        role="switch"
        aria-checked={span !== undefined}
        aria-label={t('quiet.on', { day })}
        className={`switch ${span ? 'on' : ''}`}
        onClick={() => void onChange(span ? undefined : usualFor(index))}
      />
    </div>
  )
}

function fromChosen(span: QuietSpan, from: number): QuietSpan {
  if (from === allDay) return wholeDay
  return span.to === dayMinutes && span.from === 0 ? { from, to: usual.to } : { ...span, from }
}

const saturday = 5

function usualFor(index: number): QuietSpan {
  return index >= saturday ? wholeDay : usual
}

/** What of a day is quiet: the end of the night before, and its own hours. */
function quietParts(week: Week, index: number): QuietSpan[] {
  const before = week[(index + 6) % 7]
  const own = week[index]
  const parts = [
    ...(before && before.to <= before.from && before.to > 0 ? [{ from: 0, to: before.to }] : []),
    ...(own ? [{ from: own.from, to: own.to > own.from ? own.to : dayMinutes }] : []),
  ]
  const [first, second] = parts
  return first && second && second.from <= first.to ? [{ from: 0, to: Math.max(first.to, second.to) }] : parts
}

function percent(minutes: number): string {
  return `${((minutes / dayMinutes) * 100).toFixed(2)}%`
}

/** 0 is Monday: so was 5 January 1970. */
function dayNameOf(index: number, weekday: 'long' | 'short'): string {
  const format = new Intl.DateTimeFormat(dateLocale(), { weekday, timeZone: 'UTC' })
  return format.format(new Date((index + 4) * 86_400_000))
}
