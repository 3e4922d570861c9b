const entities = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
])

/** The words of the HTML that the server renders, for one line. */
export function plainText(html: string, limit = 400): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, limit)
    .replace(/&(lt|gt|quot|#39|amp);/g, (entity) => entities.get(entity)!)
    .trim()
}
