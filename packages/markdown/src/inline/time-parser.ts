interface Day {
  year: number
  month: number
  day: number
}

const monthNames = 'january february march april may june july august september october november december'.split(' ')

const weekday = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+/i

/** The forms of a date, by the order of their parts. docs/markup.md lists them. */
const dates: [form: RegExp, read: (parts: string[]) => Day][] = [
  [/^(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)/, ([year, , month, day]) => dayOf(year, month, day)],
  [/^(\d{4})\/(\d{1,2})\/(\d{1,2})(?!\d)/, ([year, month, day]) => dayOf(year, month, day)],
  [/^(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/, ([first, second, year]) => slashedDay(first!, second!, year)],
  [/^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/i, ([month, day, year]) => dayOf(year, month, day)],
  [
    /^(\d{1,2})(?:st|nd|rd|th)?[\s-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})(?!\d)/i,
    ([day, month, year]) => dayOf(year, month, day),
  ],
]

const clocks = [
  /^(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?m\.?(?![a-z]))?/i,
  /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?m\.?(?![a-z]))?/i,
  /^(\d{1,2})()()()\s*([ap])\.?m\.?(?![a-z])/i,
  /^(\d{2})(?!\d)/,
]

const zone = /^([+-])(\d{2})(?::?(\d{2}))?$/

// Years have four digits, and there is no year 0.
const firstMoment = Date.parse('0001-01-01T00:00:00Z')
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z')

/** Parses a date with or without a time, or a number of seconds since 1970. */
export function parseTime(text: string): string | undefined {
  const trimmed = text.trim()
  const moment = /^\d{9,11}(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1000 : writtenTime(trimmed)
  if (moment === undefined || !(moment >= firstMoment && moment <= lastMoment)) return undefined
  return new Date(moment).toISOString().replace('.000Z', 'Z')
}

function writtenTime(text: string): number | undefined {
  const rest = text.replace(weekday, '')
  for (const [form, read] of dates) {
    const found = form.exec(rest)
    const midnight = found ? utcDay(read(found.slice(1))) : undefined
    if (midnight !== undefined) return afterDate(midnight, rest.slice(found![0].length))
  }
  return undefined
}

function afterDate(midnight: number, rest: string): number | undefined {
  if (rest === '') return midnight
  const separator = /^(?:T|,?\s+(?:at\s+)?)/i.exec(rest)
  if (!separator) return undefined
  const text = rest.slice(separator[0].length)
  const time = clocks.map((clock) => clock.exec(text)).find((found) => found !== null)
  if (!time) return undefined
  const offset = zoneOffset(text.slice(time[0].length).trim())
  const sinceMidnight = clockTime(time)
  return offset === undefined || sinceMidnight === undefined ? undefined : midnight + sinceMidnight - offset
}

function dayOf(year: string | undefined, month: string | undefined, day: string | undefined): Day {
  return { year: Number(year), month: monthOf(month!), day: Number(day) }
}

/** The month comes first, unless it can only be the day. */
function slashedDay(first: string, second: string, year: string | undefined): Day {
  return Number(first) > 12 ? dayOf(year, second, first) : dayOf(year, first, second)
}

function monthOf(text: string): number {
  const name = text.toLowerCase().replace(/^sept$/, 'sep')
  if (/^\d/.test(name)) return Number(name)
  const place = monthNames.findIndex((month) => name === month || name === month.slice(0, 3))
  return place + 1
}

function utcDay({ year, month, day }: Day): number | undefined {
  const moment = new Date(0)
  moment.setUTCFullYear(year, month - 1, day)
  // An impossible date, such as February 30, becomes another date.
  return year > 0 && moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day ? moment.getTime() : undefined
}

function clockTime([, hours, minutes, seconds, fraction, half]: RegExpExecArray): number | undefined {
  const hour = half === undefined ? Number(hours) : hourOfHalf(Number(hours), half)
  if (!(hour <= 23) || Number(minutes || 0) > 59 || Number(seconds || 0) > 59) return undefined
  const whole = (hour * 60 + Number(minutes || 0)) * 60 + Number(seconds || 0)
  return whole * 1000 + Math.trunc(Number(`0.${fraction || 0}`) * 1000)
}

/** 12 am is midnight. */
function hourOfHalf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return Number.NaN
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}

function zoneOffset(text: string): number | undefined {
  if (/^(?:z|utc|gmt)?$/i.test(text)) return 0
  const parts = zone.exec(text)
  if (!parts || Number(parts[2]) > 23 || Number(parts[3] ?? 0) > 59) return undefined
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0)
  return (parts[1] === '-' ? -minutes : minutes) * 60_000
}
