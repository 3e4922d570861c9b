import { attributes, escapeText } from './html.ts'
import type { Inline } from './inline.ts'
import { parseTime } from './time-parser.ts'

/** `<time:2031-05-06T09:30+02:00>` */
export function times(text: string, inline: Inline): string {
  return text.replace(/<time:([^>]*)>/g, (mark, typed: string) => {
    const source = inline.source(typed)
    const moment = parseTime(source)
    // An invalid time is shown as typed, without other markup.
    const html = moment
      ? `<time${attributes({ datetime: moment })}>${escapeText(source)}</time>`
      : escapeText(inline.source(mark))
    return inline.keep(html, mark)
  })
}
