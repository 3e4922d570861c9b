import type { ShownMessage } from '@parley/client/messages/cache'
import { plainText } from '../rendered/plain-text.ts'

/** A file or a link in a message. */
export interface Reference {
  url: string
  name: string
  kind: 'image' | 'file' | 'link'
  message: ShownMessage
}

export interface Details {
  /** Who wrote, the latest first. */
  people: number[]
  files: Reference[]
  links: Reference[]
}

const image = /\.(png|jpe?g|gif|webp|avif|svg|bmp)$/i

/** Who takes part in a topic, and what was shared there. Each file and link is listed once, the latest first. */
export function detailsOf(messages: readonly ShownMessage[]): Details {
  const latestFirst = messages.toReversed()
  const found = new Map<string, Reference>()
  for (const message of latestFirst)
    for (const reference of referencesIn(message)) {
      const known = found.get(reference.url)
      // A preview links to the same file once more, without its name.
      if (!known || known.name === '') found.set(reference.url, reference)
    }
  const references = [...found.values()].map((one) => ({ ...one, name: one.name || lastPart(one.url) }))
  return {
    people: [...new Set(latestFirst.map(({ sender_id }) => sender_id))],
    files: references.filter(({ kind }) => kind !== 'link'),
    links: references.filter(({ kind }) => kind === 'link'),
  }
}

function referencesIn(message: ShownMessage): Reference[] {
  return anchorsIn(message.content)
    .map(({ href, inner }) => ({ url: plainText(href, 4000), name: plainText(inner) }))
    .filter(({ url }) => /^https?:|^\/user_uploads\//.test(url))
    .map(({ url, name }) => ({ url, name, message, kind: kindOf(url) }))
}

function anchorsIn(html: string): { href: string; inner: string }[] {
  return html
    .split('<a ')
    .slice(1)
    .flatMap((rest) => {
      const [tag, end] = [rest.slice(0, rest.indexOf('>')), rest.indexOf('</a>')]
      const href = /(?:^|\s)href="([^"]*)"/.exec(tag)?.[1]
      return href === undefined || end === -1 ? [] : [{ href, inner: rest.slice(tag.length + 1, end) }]
    })
}

function kindOf(url: string): Reference['kind'] {
  if (!url.startsWith('/user_uploads/')) return 'link'
  return image.test(url) ? 'image' : 'file'
}

function lastPart(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  return path.replace(/\/$/, '').split('/').at(-1) || url
}
