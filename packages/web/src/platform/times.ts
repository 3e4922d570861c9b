import { dateLocale, type PlainId, t } from './i18n.ts'

export type Hours = '24' | '12' | 'language'

/** Whether times use 24 hours; undefined as the language does. */
let hourCycle: 'h23' | 'h12' | undefined

export function chooseHours(hours: Hours): void {
  hourCycle = hours === 'language' ? undefined : hours === '24' ? 'h23' : 'h12'
}

/** Other clients know only 12 and 24 hours. 12 is their default, so it counts only for users who chose it here. */
export function hoursOf(preferences: { get(name: 'twenty_four_hour_time' | 'web_clock'): unknown }): Hours {
  if (preferences.get('twenty_four_hour_time') === true) return '24'
  return preferences.get('web_clock') === 'setting' ? '12' : 'language'
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats are kept, because it takes long to create one. */
function formatted(seconds: number, name: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${name} ${dateLocale()} ${hourCycle}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(dateLocale(), options)
  formats.set(key, format)
  return format.format(seconds * 1000)
}

const usualCycles = new Map<string, Intl.ResolvedDateTimeFormatOptions['hourCycle']>()

/** What the language uses, in the viewer's region. */
function usualCycle() {
  const locale = dateLocale()
  if (!usualCycles.has(locale))
    usualCycles.set(locale, new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hourCycle)
  return usualCycles.get(locale)
}

const clock = () => ({
  hour: (hourCycle ?? usualCycle()) === 'h23' ? ('2-digit' as const) : ('numeric' as const),
  minute: '2-digit' as const,
  ...(hourCycle && { hourCycle }),
})

export const clockTime = (seconds: number) => formatted(seconds, 'clock', clock())
/** Hours and minutes where there is little room: "4:11", also with the 12-hour clock. */
export const narrowTime = (seconds: number) => clockTime(seconds).replace(/[^\p{Nd}:.]+/gu, '')
export const exactTime = (seconds: number) =>
  formatted(seconds, 'exact', { dateStyle: 'full', timeStyle: 'medium', ...(hourCycle && { hourCycle }) })
const weekday = (seconds: number) => formatted(seconds, 'weekday', { weekday: 'long' })
const dayMonth = (seconds: number) => formatted(seconds, 'day', { day: 'numeric', month: 'long' })
const fullDate = (seconds: number) => formatted(seconds, 'date', { day: 'numeric', month: 'long', year: 'numeric' })

/** Days since 1970 in the viewer's time zone. */
export function dayOf(seconds: number): number {
  const date = new Date(seconds * 1000)
  return Math.floor((date.getTime() - date.getTimezoneOffset() * 60_000) / 86_400_000)
}

/** By the number of days that have passed. */
const nearDays = new Map<number, PlainId>([
  [0, 'time.today'],
  [1, 'time.yesterday'],
  [-1, 'time.tomorrow'],
])

/** "Today", "Yesterday", "Tomorrow", a weekday within a week, otherwise the date. */
export function dayName(seconds: number, now = Date.now() / 1000): string {
  const days = dayOf(now) - dayOf(seconds)
  const near = nearDays.get(days)
  if (near) return t(near)
  if (Math.abs(days) < 7) return weekday(seconds)
  const isThisYear = new Date(seconds * 1000).getFullYear() === new Date(now * 1000).getFullYear()
  return isThisYear ? dayMonth(seconds) : fullDate(seconds)
}

/** The time today, otherwise the day. */
export function shortTime(seconds: number, now = Date.now() / 1000): string {
  return dayOf(seconds) === dayOf(now) ? clockTime(seconds) : dayName(seconds, now)
}

const nearTimes = new Map([
  [0, 'time.todayAt' as const],
  [1, 'time.yesterdayAt' as const],
  [-1, 'time.tomorrowAt' as const],
])

/** Inside a sentence: "today at 17:00", "on Monday at 9:00". */
export function longTime(seconds: number, now = Date.now() / 1000): string {
  const near = nearTimes.get(dayOf(now) - dayOf(seconds))
  const time = clockTime(seconds)
  return near ? t(near, { time }) : t('time.dayAt', { day: dayName(seconds, now), time })
}
