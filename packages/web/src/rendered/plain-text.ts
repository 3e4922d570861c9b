const entities = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
])

/** Tags inside a line, which separate no words. */
const inlineTags = /<\/?(?:a|code|del|em|span|strong|sub|sup|time)\b[^>]*>/g

/** The words of the HTML that the server renders, for one line. */
export function plainText(html: string, limit = 400): string {
  return html
    .replace(inlineTags, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, limit)
    .replace(/&(lt|gt|quot|#39|amp);/g, (entity) => entities.get(entity)!)
    .trim()
}
