import { attributes, escapeText } from '../html.ts'
import type { Inline } from './inline.ts'
import { linkedUpload, relativeToRealm, safeUrl } from './urls.ts'

/** Stores a link. Returns undefined if the URL must not be linked. The text may contain marks. */
export function keepLink(
  inline: Inline,
  source: string,
  address: string,
  text: string,
  title?: string,
): string | undefined {
  const safe = safeUrl(address)
  if (safe === undefined) return undefined
  const { message } = inline
  const url = relativeToRealm(safe, message.context.realmUrl)
  const upload = linkedUpload(url, message.context.realmUrl)
  if (upload) message.uploads.add(upload)
  message.hasLink = true
  const shown = text.trim() === '' ? url : text
  const html = `<a${attributes({ href: url, title })}>${textHtml(shown, inline)}</a>`
  return inline.keep(html, source, { link: { url, text: inline.source(shown) } })
}

/** A link cannot contain another one, which is shown as source. */
function textHtml(text: string, inline: Inline): string {
  const html = inline.html(text)
  return html.includes('<a ') ? escapeText(inline.source(text)) : html
}
