import { type MailElement, type MailNode, parseMailHtml } from './html-elements.ts'
import { replyMarker } from './quote-words.ts'

/** Longer HTML is cut here: it would be far more than a message can hold. */
const longestHtml = 1024 * 1024

/** The HTML of an email in our markup. Quotes have `> ` before each line, or our marker above them. */
export function htmlToText(html: string, { footer = false }: { footer?: boolean } = {}): string {
  const lines = blocks(parseMailHtml(html.slice(0, longestHtml)), { footer, depth: 0 })
  return lines.join('\n')
}

interface Reading {
  footer: boolean
  /** Of the quotes around it. */
  depth: number
}

/** Quotes deeper than this look like their surroundings: they are cut anyway. */
const deepestQuote = 3

const paragraphs = new Set('p blockquote pre ul ol table h1 h2 h3 h4 h5 h6 hr dl'.split(' '))
const lineBlocks = new Set(
  'div section article header footer main aside center address figure figcaption form fieldset tbody thead tfoot tr li dt dd body html head'.split(
    ' ',
  ),
)

/** Lines of text. Paragraphs have an empty line around them, other blocks begin and end a line. */
function blocks(nodes: MailNode[], reading: Reading): string[] {
  const lines: string[] = []
  let line = ''
  const endLine = () => {
    // A break at the end of a block is not shown, but one alone is an empty line.
    if (line.trim() !== '')
      lines.push(
        ...line
          .replace(/\n[^\S\n]*$/, '')
          .split('\n')
          .map((one) => one.trim()),
      )
    else if (line.includes('\n')) lines.push('')
    line = ''
  }
  for (const node of nodes) {
    if (!isBlock(node)) line += inline(node, reading)
    else {
      endLine()
      const inside = block(node, reading)
      if (paragraphs.has(node.name) && inside.length > 0) lines.push('', ...inside, '')
      else lines.push(...inside)
    }
  }
  endLine()
  return lines
}

function isBlock(node: MailNode): node is MailElement {
  return typeof node !== 'string' && (paragraphs.has(node.name) || lineBlocks.has(node.name) || hasBlock(node))
}

/** Programs put blocks into `span`, `a` and `font`, too. */
function hasBlock({ children }: MailElement): boolean {
  return children.some(
    (child) => typeof child !== 'string' && (paragraphs.has(child.name) || lineBlocks.has(child.name)),
  )
}

function block(element: MailElement, reading: Reading): string[] {
  const { name, children } = element
  const what = kindOf(element)
  if (what === 'hidden' || (what === 'signature' && !reading.footer)) return []
  if (what === 'quote') return ['', replyMarker, '']
  switch (name) {
    case 'hr':
      return ['---']
    case 'blockquote':
      return quoted(children, reading)
    case 'pre':
      return ['```', ...sourceText(children).replace(/\n$/, '').split('\n'), '```']
    case 'ul':
      return items(children, reading, () => '- ')
    case 'ol':
      return items(children, reading, (index) => `${index + 1}. `)
    case 'tr':
      return [cells(children, reading).join(' | ')].filter((line) => line !== '')
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return blocks(children, reading).map((line) => (line === '' ? line : `**${line.replaceAll('**', '')}**`))
    default:
      return blocks(children, reading)
  }
}

function quoted(children: MailNode[], { footer, depth }: Reading): string[] {
  const lines = blocks(children, { footer, depth: depth + 1 })
  return depth < deepestQuote ? lines.map((line) => `> ${line}`.trimEnd()) : lines
}

function items(children: MailNode[], reading: Reading, bullet: (index: number) => string): string[] {
  const elements = children.filter((child) => typeof child !== 'string')
  return elements.flatMap((item, index) => {
    const lines = blocks(item.children, reading).filter((line) => line !== '')
    return lines.map((line, number) => (number === 0 ? bullet(index) : '  ') + line)
  })
}

/** A table that only places things, as most do in emails, has one cell in each row. */
function cells(children: MailNode[], reading: Reading): string[] {
  const elements = children.filter((child) => typeof child !== 'string')
  if (elements.length === 1) return [blocks(elements[0]!.children, reading).join('\n')]
  return elements.map((cell) => blocks(cell.children, reading).join(' ').trim()).filter((text) => text !== '')
}

function inline(node: MailNode, reading: Reading): string {
  if (typeof node === 'string') return node.replace(/[\t\n\r ]+/g, ' ')
  const { name, attributes, children } = node
  if (name === 'br') return '\n'
  if (name === 'img') return imageText(attributes)
  if (name === 'wbr' || kindOf(node) === 'hidden') return ''
  if (kindOf(node) === 'signature' && !reading.footer) return ''
  const inside = children
    .map((child) => (isBlock(child) ? `\n${block(child, reading).join('\n')}\n` : inline(child, reading)))
    .join('')
  if (name === 'a') return linkText(inside, attributes.get('href'))
  if (name === 'b' || name === 'strong') return wrapped(inside, '**')
  if (name === 'i' || name === 'em') return wrapped(inside, '*')
  if (name === 'code' || name === 'tt') return wrapped(inside, '`')
  return inside
}

/** Marks stand at words, not at spaces, and within a line. */
function wrapped(text: string, mark: string): string {
  const words = text.trim()
  if (words === '' || words.includes('\n') || words.includes(mark[0]!)) return text
  return text.replace(words, () => mark + words + mark)
}

function imageText(attributes: ReadonlyMap<string, string>): string {
  const source = attributes.get('src') ?? ''
  return source.startsWith('cid:') ? `[${source}]` : ''
}

function linkText(text: string, href = ''): string {
  const words = text.trim()
  if (!/^(?:https?|mailto):/i.test(href) || /[\s()<>]/.test(href)) return text
  if (words === '' || words === href || `http://${words}` === href || `https://${words}` === href) return href
  if (`mailto:${words}`.toLowerCase() === href.toLowerCase()) return text
  return /[[\]\n]/.test(words) ? text : text.replace(words, () => `[${words}](${href})`)
}

function sourceText(children: MailNode[]): string {
  const parts = children.map((child) => {
    if (typeof child === 'string') return child
    return child.name === 'br' ? '\n' : sourceText(child.children)
  })
  return parts.join('').replaceAll('```', "'''")
}

const quoteIds = [
  'parley-quote',
  'appendonsend',
  'divrplyfwdmsg',
  'mail-editor-reference-message-container',
  'outlookmessageheader',
]
const quoteClasses = ['yahoo_quoted', 'outlookmessageheader', 'zmail_extra', 'parley-quote']
const signatureIds = ['ms-outlook-mobile-signature', 'signature']
const signatureClasses = [
  'gmail_signature',
  'gmail_signature_prefix',
  'moz-signature',
  'protonmail_signature_block',
  'zmail_signature',
]

/** What programs mark as a quote or a signature, and what they hide. */
function kindOf({ attributes }: MailElement): 'hidden' | 'quote' | 'signature' | undefined {
  const id = (attributes.get('id') ?? '').toLowerCase().replace(/^x_/, '')
  const classes = (attributes.get('class') ?? '').toLowerCase().split(/\s+/)
  const style = (attributes.get('style') ?? '').replaceAll(' ', '').toLowerCase()
  if (/(?:^|;)(?:display:none|mso-hide:all)/.test(style)) return 'hidden'
  if (quoteIds.includes(id) || classes.some((one) => quoteClasses.includes(one))) return 'quote'
  if (signatureIds.includes(id) || classes.some((one) => signatureClasses.includes(one))) return 'signature'
  return undefined
}
