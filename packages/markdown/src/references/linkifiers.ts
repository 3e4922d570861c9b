import type { Inline } from '../inline/inline.ts'
import { keepLink } from '../inline/link-html.ts'
import { markStart } from '../inline/marks.ts'
import { matchLinkifier } from './linkifier-patterns.ts'

/** The linkifiers of the realm. */
export function linkifiers(text: string, inline: Inline): string {
  return (inline.message.context.linkifiers ?? []).reduce((rest, linkifier) => {
    let result = ''
    let end = 0
    for (const match of matchLinkifier(rest, linkifier)) {
      // A match must not contain marks of other rules.
      const mark = match.text.includes(markStart) ? undefined : keepLink(inline, match.text, match.url, match.text)
      result += rest.slice(end, match.start) + (mark ?? match.text)
      end = match.end
    }
    return result + rest.slice(end)
  }, text)
}
