const specialInText = /[&<>]/
const escapes = new Map<string, string>(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }))

/** Escapes everything. For code, which is shown as typed. */
export function escapeCode(text: string): string {
  return specialInText.test(text) ? text.replace(/[&<>]/g, escapeOne) : text
}

/** Escapes text. Entities written by the author (`&nbsp;`) are kept. */
export function escapeText(text: string): string {
  if (!specialInText.test(text)) return text
  return text.replace(/&(?!(?:#\d+|#x[\da-f]+|[\da-z]+);)|[<>]/gi, escapeOne)
}

/** Escapes an attribute value. Only `&amp;` counts as already escaped, so that no entity can encode a character. */
export function escapeAttribute(value: string): string {
  return value.replace(/&(?!amp;)|[<>"]/g, escapeOne)
}

/** The attributes of a tag, each with a leading space, sorted by name; absent values are omitted. */
export function attributes(values: Record<string, string | undefined>): string {
  let html = ''
  for (const [name, value] of Object.entries(values).sort(byName)) {
    if (value !== undefined) html += ` ${name}="${escapeAttribute(value)}"`
  }
  return html
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function escapeOne(character: string): string {
  return escapes.get(character) ?? character
}
