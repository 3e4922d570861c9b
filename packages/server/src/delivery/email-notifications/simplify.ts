import type { HtmlElement, HtmlNode } from './html-tree.ts'

/** What remains of a message in an email: text, and elements of `kept` with at most one attribute. */
export type Simple = string | SimpleElement

export interface SimpleElement {
  name: string
  /** Of links: absolute. */
  href?: string
  /** Of numbered lists. */
  start?: number
  children: Simple[]
}

/** Where a message is read. */
export interface Reading {
  /** The URL of the realm. */
  url: string
  /** Empty: not known. */
  timeZone: string
}

const kept = new Set(
  'p br hr blockquote pre code b strong em del h1 h2 h3 h4 h5 h6 ul ol li table thead tbody tr th td'.split(' '),
)
/** Their text is not for readers, or is shown elsewhere. */
const dropped = new Set(
  'script style svg math iframe object embed form input button textarea select noscript'.split(' '),
)
const droppedClasses = new Set(['katex-html', 'message_embed', 'spoiler-content'])
const hiddenText = '(hidden: open the conversation to read it)'

/**
 * Reduces a rendered message to what is safe and useful in an email. Links become absolute; images, videos and sounds
 * become links, because loading them would tell their server who reads the email, or need a session; spoilers stay hidden.
 */
export function simplify(nodes: HtmlNode[], reading: Reading): Simple[] {
  const linked = new Set<string>()
  const all = (children: HtmlNode[]): Simple[] => children.flatMap((node) => one(node))
  const one = (node: HtmlNode): Simple[] => (typeof node === 'string' ? [node] : element(node))
  const link = (target: string | undefined, children: Simple[]): Simple[] => {
    const href = absolute(target, reading.url)
    if (href === undefined) return children
    linked.add(href)
    return [{ name: 'a', href, children }]
  }
  /** The preview of a file that the message already links to adds nothing. */
  const file = (target: string | undefined, label: string): Simple[] => {
    const href = absolute(target, reading.url)
    return href === undefined || linked.has(href) ? [] : [{ name: 'p', children: link(target, [label]) }]
  }
  const element = (node: HtmlElement): Simple[] => {
    const { name, attributes, children } = node
    const classes = attributes.get('class')?.split(' ') ?? []
    const has = (one: string) => classes.includes(one)
    if (dropped.has(name) || classes.some((one) => droppedClasses.has(one))) return []
    if (has('katex')) return [{ name: 'code', children: [texOf(node)] }]
    if (has('emoji')) return [emojiOf(node)]
    if (has('message_inline_image')) return file(...previewOf(node))
    if (has('spoiler-block')) return [...all(children), { name: 'p', children: [hiddenText] }]
    if (has('user-mention') || has('user-group-mention') || has('topic-mention'))
      return [{ name: 'b', children: all(children) }]
    if (name === 'a') return link(attributes.get('href'), all(children))
    if (name === 'img') return file(attributes.get('src'), attributes.get('alt') || 'Image')
    if (name === 'audio' || name === 'video')
      return file(attributes.get('data-original-url') ?? attributes.get('src'), attributes.get('title') || 'Recording')
    if (name === 'time') return [timeOf(node, reading.timeZone)]
    if (!kept.has(name)) return all(children)
    const start = Number(attributes.get('start'))
    return [{ name, ...(name === 'ol' && start > 1 && { start }), children: all(children) }]
  }
  return all(nodes)
}

const schemes = new Set(['http:', 'https:', 'mailto:', 'tel:', 'xmpp:'])

function absolute(target: string | undefined, base: string): string | undefined {
  if (target === undefined || !URL.canParse(target, `${base}/`)) return undefined
  const url = new URL(target, `${base}/`)
  return schemes.has(url.protocol) ? url.href : undefined
}

function find(node: HtmlElement, name: string): HtmlElement | undefined {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    const found = child.name === name ? child : find(child, name)
    if (found) return found
  }
  return undefined
}

function textIn({ children }: HtmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('')
}

/** The source of a formula. */
function texOf(node: HtmlElement): string {
  const source = find(node, 'annotation')
  return source ? textIn(source) : textIn(node)
}

/** The character, where there is one. */
function emojiOf(node: HtmlElement): string {
  const code = /(?:^| )emoji-([0-9a-f-]+)/.exec(node.attributes.get('class')!)?.[1]
  const points = code?.split('-').map((part) => Number.parseInt(part, 16)) ?? []
  if (points.length > 0 && points.every((point) => point > 0 && point <= 0x10ffff))
    return String.fromCodePoint(...points)
  return node.attributes.get('alt') ?? textIn(node)
}

function previewOf(node: HtmlElement): [target: string | undefined, label: string] {
  const target = find(node, 'a')
  const href = target?.attributes.get('href')
  const fileName = href
    ?.replace(/[?#].*$/s, '')
    .split('/')
    .at(-1)
  return [href, target?.attributes.get('title') || fileName || 'Image']
}

/** In the time zone of the reader. */
function timeOf(node: HtmlElement, timeZone: string): string {
  const time = new Date(node.attributes.get('datetime') ?? '')
  if (Number.isNaN(time.getTime())) return textIn(node)
  const format = { dateStyle: 'full', timeStyle: 'short' } as const
  const zone = timeZone || 'UTC'
  return `${new Intl.DateTimeFormat('en', { ...format, timeZone: zone }).format(time)} (${zone})`
}
