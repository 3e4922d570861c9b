import { attributes, escapeText } from './html.ts'
import type { Inline } from './inline.ts'

const date = /^(\d{4})-?(\d{2})-?(\d{2})/
const clock = /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?/
const zone = /^([+-])(\d{2})(?::?(\d{2}))?$/

// Clients write years with four digits, and there was no year 0.
const firstMoment = Date.parse('0001-01-01T00:00:00Z')
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z')

/** `<time:2031-05-06T09:30+02:00>` */
export function times(text: string, inline: Inline): string {
  return text.replace(/<time:([^>]*)>/g, (mark, typed: string) => {
    const source = inline.source(typed)
    const moment = parseTime(source)
    // What was meant as a time but is none stays as it was typed, without other markup.
    const html = moment
      ? `<time${attributes({ datetime: moment })}>${escapeText(source)}</time>`
      : escapeText(inline.source(mark))
    return inline.keep(html, mark)
  })
}

/** The moment in UTC that an ISO 8601 text or a number of seconds since 1970 means. */
export function parseTime(text: string): string | undefined {
  const trimmed = text.trim()
  const moment = /^\d{9,11}(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1000 : isoTime(trimmed)
  if (moment === undefined || !(moment >= firstMoment && moment <= lastMoment)) return undefined
  return new Date(moment).toISOString().replace('.000Z', 'Z')
}

function isoTime(text: string): number | undefined {
  const day = date.exec(text)
  if (!day) return undefined
  const midnight = utcDay(Number(day[1]), Number(day[2]), Number(day[3]))
  const rest = text.slice(day[0].length)
  if (rest === '' || midnight === undefined) return midnight
  const time = /^[T ]/i.test(rest) ? clock.exec(rest.slice(1)) : null
  if (!time) return undefined
  const offset = zoneOffset(rest.slice(1 + time[0].length))
  const sinceMidnight = clockTime(time)
  return offset === undefined || sinceMidnight === undefined ? undefined : midnight + sinceMidnight - offset
}

function utcDay(year: number, month: number, day: number): number | undefined {
  const moment = new Date(0)
  moment.setUTCFullYear(year, month - 1, day)
  // An impossible day, such as the 30th of February, comes out as another one.
  return year > 0 && moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day ? moment.getTime() : undefined
}

function clockTime([, hours = '0', minutes = '0', seconds = '0', fraction = '0']: RegExpExecArray): number | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  return (
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Math.trunc(Number(`0.${fraction}`) * 1000)
  )
}

function zoneOffset(text: string): number | undefined {
  if (text === '' || text.toUpperCase() === 'Z') return 0
  const parts = zone.exec(text)
  if (!parts || Number(parts[2]) > 23 || Number(parts[3] ?? 0) > 59) return undefined
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0)
  return (parts[1] === '-' ? -minutes : minutes) * 60_000
}
