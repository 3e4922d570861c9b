import type { Names } from '../source.ts'

/** Mattermost's Markdown as ours. Most is the same; code stays as it is. */
export function toMarkup(text: string, place: string, names: Names): string {
  const team = place.startsWith('@') ? undefined : place.slice(0, place.indexOf('/'))
  let fence: string | undefined
  const lines = text.split('\n').map((line) => {
    const [, sign] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence !== undefined) {
      if (sign?.startsWith(fence) && line.trim() === sign) fence = undefined
      return line
    }
    if (sign === undefined) return outsideOfCode(line, (part) => withNames(emphasized(part), team, names))
    fence = sign
    return line.replace(/(`|~)(latex|tex)\s*$/, '$1math')
  })
  return lines.join('\n')
}

/** Applies a function to what is not in code spans: those begin and end with the same number of backticks. */
function outsideOfCode(line: string, convert: (part: string) => string): string {
  if (!line.includes('`')) return convert(line)
  const parts = line.split(/(`+)/)
  let written = ''
  for (let index = 0; index < parts.length; ) {
    const end = index % 2 === 1 ? parts.indexOf(parts[index]!, index + 1) : -1
    const isCode = end >= 0 && end % 2 === 1
    const last = isCode ? end : index
    const part = parts.slice(index, last + 1).join('')
    written += isCode || index % 2 === 1 ? part : convert(part)
    index = last + 1
  }
  return written
}

/** `_x_` and `__x__` mean here what they mean there only with stars. Longer ones are left alone. */
function emphasized(text: string): string {
  if (!text.includes('_')) return text
  return text.replace(
    /(?<![\p{L}\p{N}_/\\:.&=?#%@~-])(_{1,3})([^\s_](?:[^_]{0,500}[^\s_])?)\1(?![\p{L}\p{N}_])/gu,
    (_, signs: string, inner: string) => `${'*'.repeat(signs.length)}${inner}${'*'.repeat(signs.length)}`,
  )
}

/** Mentions become silent ones, so that nobody is notified of the past. A name may be followed by a full stop. */
function withNames(text: string, team: string | undefined, names: Names): string {
  return text
    .replace(/(?<![\p{L}\p{N}_@/\\.-])@([a-z0-9][a-z0-9._-]{0,63})/giu, (source, name: string) =>
      resolved(source, name.toLowerCase(), (key) => names.user(key)),
    )
    .replace(/(?<![\p{L}\p{N}_~/\\])~([a-z0-9][a-z0-9_-]{0,63})/giu, (source, name: string) =>
      resolved(source, name.toLowerCase(), (key) => (team === undefined ? undefined : names.channel(`${team}/${key}`))),
    )
}

function resolved(source: string, name: string, find: (key: string) => string | undefined): string {
  let end = name.length
  while (end > 0 && '._-'.includes(name[end - 1]!)) end--
  for (const key of new Set([name, name.slice(0, end)])) {
    const markup = key === '' ? undefined : find(key)
    if (markup !== undefined) return markup + name.slice(key.length)
  }
  return source
}
