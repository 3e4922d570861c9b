const entities = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
])

const entity = /&(?:lt|gt|quot|#39|amp);/g

/** Tags inside a line, which separate no words. */
const inlineTags = /<\/?(?:a|code|del|em|span|strong|sub|sup|time)\b[^>]*>/g

/** The words of the HTML that the server renders, for one line. */
export function plainText(html: string, limit = 400): string {
  return html
    .replace(inlineTags, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, limit)
    .replace(entity, (one) => entities.get(one)!)
    .trim()
}

/** What was typed, if the HTML is nothing but paragraphs of text. */
export function plainSource(html: string): string | undefined {
  const text = html
    .replace(/<\/p>\s*<p>/g, '\n\n')
    .replace(/<br>\n?/g, '\n')
    .replace(/^<p>|<\/p>$/g, '')
  return text.includes('<') ? undefined : text.replace(entity, (one) => entities.get(one)!)
}
