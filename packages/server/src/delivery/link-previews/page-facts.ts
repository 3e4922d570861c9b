import { decodeEntities, type MailNode, parseMailHtml } from '../mail-in/text/html-elements.ts'

/** What a page says about itself. */
export interface PageFacts {
  title: string | undefined
  description: string | undefined
  image: string | undefined
}

const longest = { title: 200, description: 400, image: 2000 } as const

/** By preference: Open Graph, Twitter's cards, what HTML itself has. */
const names = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  image: ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src'],
} as const

/** Reads the head of a page, however broken. */
export function factsOf(html: string, url: string): PageFacts {
  const end = /<\/head\s*>|<body[\s>]/i.exec(html)
  const head = end ? html.slice(0, end.index) : html
  const values = metaValues(parseMailHtml(head))
  const find = (fact: keyof typeof names) =>
    shortened(
      names[fact].map((name) => values.get(name)).find((value) => value),
      longest[fact],
    )
  return {
    title: find('title') ?? titleIn(head),
    description: find('description'),
    image: imageUrl(find('image'), url),
  }
}

function metaValues(nodes: readonly MailNode[], values = new Map<string, string>()): Map<string, string> {
  for (const node of nodes) {
    if (typeof node === 'string') continue
    const name = (node.attributes.get('property') ?? node.attributes.get('name') ?? '').toLowerCase()
    const content = node.attributes.get('content')
    if (node.name === 'meta' && name !== '' && content && !values.has(name)) values.set(name, content)
    metaValues(node.children, values)
  }
  return values
}

function titleIn(head: string): string | undefined {
  const start = /<title(?:\s[^<>]*)?>/i.exec(head)
  if (!start) return undefined
  const rest = head.slice(start.index + start[0].length)
  return shortened(decodeEntities(rest.slice(0, Math.max(rest.indexOf('<'), 0))), longest.title)
}

/** PostgreSQL cannot store NUL characters or unpaired surrogates. */
function shortened(text: string | undefined, most: number): string | undefined {
  const line = text?.replaceAll('\0', '').toWellFormed().split(/\s/).filter(Boolean).join(' ')
  if (!line) return undefined
  const characters = [...line]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}

function imageUrl(image: string | undefined, page: string): string | undefined {
  const url = image === undefined ? null : URL.parse(image, page)
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined
}
