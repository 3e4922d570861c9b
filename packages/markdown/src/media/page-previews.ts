import type { PagePreview } from '../context.ts'
import { attributes, escapeText } from '../html.ts'
import type { Message } from '../message.ts'

/** The preview of a web page, if it is known. Otherwise records the URL, so that a preview can be fetched. */
export function pagePreview(url: string, message: Message): string {
  const { pages, realmUrl } = message.context
  if (!/^https?:/.test(url) || (realmUrl !== undefined && url.startsWith(`${realmUrl}/`))) return ''
  const page = pages?.find((known) => known.url === url)
  if (!page) message.previewUrls.add(url)
  return page ? pageHtml(page, message.mediaSource(page.image)) : ''
}

function percentEncoded(character: string): string {
  return encodeURIComponent(character).replace(/['()]/, (kept) => `%${kept.charCodeAt(0).toString(16)}`)
}

function pageHtml({ url, title, description }: PagePreview, src: string): string {
  // Encoded, so that the URL cannot end the CSS function or declaration around it.
  const style = `background-image: url("${src.replace(/["'()\\\s]/g, percentEncoded)}")`
  const picture = `<a${attributes({ class: 'message_embed_image', href: url, style })}></a>`
  const heading = title
    ? `<div class="message_embed_title"><a${attributes({ href: url, title })}>${escapeText(title)}</a></div>`
    : ''
  const text = description ? `<div class="message_embed_description">${escapeText(description)}</div>` : ''
  return `<div class="message_embed">${picture}<div class="data-container">${heading}${text}</div></div>`
}

const opening = '<div class="message_embed">'

/** A rendered message that ends with these previews, instead of those that it has. Text of authors is escaped. */
export function withPagePreviews(html: string, pages: readonly PagePreview[]): string {
  const [bare] = html.split(opening)
  return bare! + pages.map((page) => pageHtml(page, page.image)).join('')
}
