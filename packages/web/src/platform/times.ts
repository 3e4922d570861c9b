/** Whether times use 24 hours; undefined as the browser's language does. */
let hourCycle: 'h23' | 'h12' | undefined
let clock = clockFormat()
let exact = exactFormat()
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' })
const dayMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long' })
const fullDate = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' })

function clockFormat() {
  const hour = hourCycle === 'h12' ? 'numeric' : '2-digit'
  return new Intl.DateTimeFormat(undefined, { hour, minute: '2-digit', ...(hourCycle && { hourCycle }) })
}

function exactFormat() {
  return new Intl.DateTimeFormat(undefined, {
    ...{ dateStyle: 'full', timeStyle: 'medium' },
    ...(hourCycle && { hourCycle }),
  })
}

export function chooseHours(has24: boolean): void {
  hourCycle = has24 ? 'h23' : 'h12'
  clock = clockFormat()
  exact = exactFormat()
}

export const clockTime = (seconds: number) => clock.format(seconds * 1000)
export const exactTime = (seconds: number) => exact.format(seconds * 1000)

/** Days since 1970 in the viewer's time zone. */
export function dayOf(seconds: number): number {
  const date = new Date(seconds * 1000)
  return Math.floor((date.getTime() - date.getTimezoneOffset() * 60_000) / 86_400_000)
}

/** "Today", "Yesterday", "Tomorrow", a weekday within a week, otherwise the date. */
export function dayName(seconds: number, now = Date.now() / 1000): string {
  const days = dayOf(now) - dayOf(seconds)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days === -1) return 'Tomorrow'
  if (Math.abs(days) < 7) return weekday.format(seconds * 1000)
  const isThisYear = new Date(seconds * 1000).getFullYear() === new Date(now * 1000).getFullYear()
  return (isThisYear ? dayMonth : fullDate).format(seconds * 1000)
}

/** The time today, otherwise the day. */
export function shortTime(seconds: number, now = Date.now() / 1000): string {
  return dayOf(seconds) === dayOf(now) ? clockTime(seconds) : dayName(seconds, now)
}

/** Inside a sentence: "today at 17:00", "on Monday at 9:00". */
export function longTime(seconds: number, now = Date.now() / 1000): string {
  const day = dayName(seconds, now)
  const isNear = ['Today', 'Yesterday', 'Tomorrow'].includes(day)
  return `${isNear ? day.toLowerCase() : `on ${day}`} at ${clockTime(seconds)}`
}
