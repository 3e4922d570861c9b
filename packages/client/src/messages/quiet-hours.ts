/** A period of a day in minutes, which ends on the next day if `to` is not later than `from`. */
export interface QuietSpan {
  from: number
  to: number
}

const dayMinutes = 1440
const weekMinutes = 7 * dayMinutes
const span = /^([01]\d|2[0-3]):([0-5]\d)-(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/

/**
 * The quiet hours of a week, Monday first, as the setting `quiet_hours` has them: `19:00-08:00,,,,,00:00-24:00,` is quiet from
 * Monday evening to Tuesday morning, and on Saturday. Undefined: the text is malformed.
 */
export function parseQuietHours(text: string): (QuietSpan | undefined)[] | undefined {
  if (text === '') return Array(7).fill(undefined)
  const days = text.split(',')
  if (days.length !== 7 || !days.every((day) => day === '' || span.test(day))) return undefined
  return days.map((day) => {
    const [, hour, minute, toHour = 24, toMinute = 0] = span.exec(day) ?? []
    return day === ''
      ? undefined
      : { from: Number(hour) * 60 + Number(minute), to: Number(toHour) * 60 + Number(toMinute) }
  })
}

export function formatQuietHours(days: readonly (QuietSpan | undefined)[]): string {
  if (days.every((day) => day === undefined)) return ''
  return days.map((day) => (day ? `${clockOf(day.from)}-${clockOf(day.to)}` : '')).join(',')
}

export function clockOf(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

/** What decides when someone is not to be disturbed: settings of theirs. */
export interface QuietSettings {
  quiet_hours: string
  /** Empty: UTC. */
  timezone: string
  /** In seconds since 1970; 0: not paused. */
  notifications_paused_until: number
}

/** Until when someone is not to be disturbed, in seconds since 1970. Undefined: they may be. */
export function quietUntil(settings: QuietSettings, now = Date.now() / 1000): number | undefined {
  const paused = settings.notifications_paused_until > now ? settings.notifications_paused_until : undefined
  // Quiet hours that begin during the pause go on after it.
  return endOfQuietHours(settings, paused ?? now) ?? paused
}

/** When quiet hours begin next. Undefined: there are none, or they have begun. */
export function nextQuiet(settings: QuietSettings, now = Date.now() / 1000): number | undefined {
  const spans = spansOf(settings.quiet_hours)
  if (spans.length === 0 || endOfQuietHours(settings, now) !== undefined) return undefined
  const minute = minuteOfWeek(now, settings.timezone)
  const wait = Math.min(...spans.map(({ from }) => (from - minute + weekMinutes) % weekMinutes))
  return atMinute(now, minute, minute + wait, settings.timezone)
}

function endOfQuietHours({ quiet_hours, timezone }: QuietSettings, now: number): number | undefined {
  const spans = spansOf(quiet_hours)
  if (spans.length === 0) return undefined
  const start = minuteOfWeek(now, timezone)
  let end = start
  // Periods that follow each other are one. After a week without a gap, it is decided again.
  for (let found = true; found && end - start < weekMinutes; ) {
    const next = spans.map(({ from, length }) => endIn({ from, length }, end)).filter((one) => one > end)
    found = next.length > 0
    if (found) end = Math.max(...next)
  }
  return end === start ? undefined : atMinute(now, start, Math.min(end, start + weekMinutes), timezone)
}

/** The end of a period of every week that contains the minute, or -1. */
function endIn({ from, length }: { from: number; length: number }, minute: number): number {
  const since = (((minute - from) % weekMinutes) + weekMinutes) % weekMinutes
  return since < length ? minute - since + length : -1
}

function spansOf(text: string): { from: number; length: number }[] {
  return (parseQuietHours(text) ?? []).flatMap((day, index) => {
    if (!day) return []
    const length = day.to > day.from ? day.to - day.from : day.to + dayMinutes - day.from
    return [{ from: index * dayMinutes + day.from, length }]
  })
}

/** The time at which clocks show a minute of the week. They may be changed in between. */
function atMinute(now: number, minute: number, wanted: number, timezone: string): number {
  const wholeMinute = now - (now % 60)
  const guess = wholeMinute + (wanted - minute) * 60
  const shown = minuteOfWeek(guess, timezone)
  const late = (((shown - wanted) % weekMinutes) + weekMinutes) % weekMinutes
  return guess - (late > weekMinutes / 2 ? late - weekMinutes : late) * 60
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const formats = new Map<string, Intl.DateTimeFormat>()

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const options = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const made = new Intl.DateTimeFormat('en', { ...options, timeZone })
  formats.set(timeZone, made)
  return made
}

/** Since Monday, 0:00. */
export function minuteOfWeek(now: number, timezone: string): number {
  const parts = formatFor(timezone || 'UTC').formatToParts(new Date(now * 1000))
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)!.value
  return weekdays.indexOf(part('weekday')) * dayMinutes + Number(part('hour')) * 60 + Number(part('minute'))
}
