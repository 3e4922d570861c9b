import { attributes, escapeText } from '../html.ts'
import type { Inline } from './inline.ts'
import { parseTime } from './time-parser.ts'

/** `<time:2031-05-06T09:30+02:00>` */
export function times(text: string, inline: Inline): string {
  const end = text.lastIndexOf('>') + 1
  // Not linear: up to the last `>` only, so that every attempt ends with a match.
  const marked = text.slice(0, end).replace(/<time:([^>]*)>/g, (mark, typed: string) => {
    const source = inline.source(typed)
    const moment = parseTime(source)
    // An invalid time is shown as typed, without other markup.
    const html = moment
      ? `<time${attributes({ datetime: moment })}>${escapeText(source)}</time>`
      : escapeText(inline.source(mark))
    return inline.keep(html, mark)
  })
  return marked + text.slice(end)
}
