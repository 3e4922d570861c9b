const entity = (char: string) => `&#${char.charCodeAt(0)};`

/**
 * Text that reads as it is in a message. There is no backslash escape in our markup, so characters that would format the
 * text become character references; those that would not, such as a star between spaces, stay.
 */
export function escapeText(text: string): string {
  return text
    .replaceAll('`', entity)
    .replaceAll('](', ']&#40;')
    .replace(/\*(?=\S)|(?<=\S)\*/g, entity)
    .replace(/~~|\$\$/g, (pair) => entity(pair[0]!) + entity(pair[1]!))
    .replace(/^[#>]/gm, entity)
}

/** A code span. Our markup cannot quote a backtick inside of one. */
export function codeSpan(text: string): string {
  const plain = oneLine(text).replaceAll('`', "'")
  return plain === '' ? '' : `\`${plain}\``
}

/** A code block whose fence does not occur in the text. */
export function codeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** A block quote. */
export function quoteBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return text.trim() === '' ? '' : `${fence}quote\n${text.trim()}\n${fence}`
}

/** A link, or only the text if the URL is none that a browser opens. */
export function linkTo(text: string, url: string): string {
  const label = escapeText(oneLine(text)).replace(/[[\]]/g, entity)
  const target = webUrl(url)
  if (target === undefined) return label
  return `[${label === '' ? escapeText(target) : label}](${target})`
}

/** The URL without characters that would end a link. */
export function webUrl(text: string): string | undefined {
  const url = URL.parse(text.trim())
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  return url.href.replace(/[()*`~$[\]]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

export function oneLine(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(' ')
}

/** Shortens a text, without splitting a character. */
export function shorten(text: string, length: number): string {
  const chars = text.length <= length ? [] : [...text]
  return chars.length <= length ? text : `${chars.slice(0, Math.max(0, length - 1)).join('')}…`
}

const mention = /@_?\*/g

/** Makes mentions plain text, except those that are spelled out in the template: its author wants them. */
export function breakMentions(text: string, template: string): string {
  return text.replace(mention, (start, at: number) =>
    isSpelledOut(text, at, template) ? start : `@\u200b${start.slice(1)}`,
  )
}

const longestName = 200

function isSpelledOut(text: string, at: number, template: string): boolean {
  const begin = text.indexOf('*', at)
  const stars = text.startsWith('**', begin) ? '**' : '*'
  const end = text.slice(begin + stars.length, begin + longestName).indexOf(stars)
  return end > 0 && template.includes(text.slice(at, begin + end + 2 * stars.length))
}
