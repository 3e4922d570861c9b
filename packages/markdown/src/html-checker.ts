import assert from 'node:assert/strict'

// An oracle for tests: it knows only which HTML is allowed, not how the renderer works.

type AttributeCheck = (value: string) => boolean
type Attributes = Record<string, AttributeCheck>

const number = /^\d{1,15}$/
const classes = (...allowed: string[]): AttributeCheck => {
  const known = new Set(allowed)
  return (value) => known.has(value)
}
const matches =
  (pattern: RegExp): AttributeCheck =>
  (value) =>
    pattern.test(value)
const anything: AttributeCheck = () => true

/** As a browser reads a URL: without the characters that it ignores. */
const isSafeUrl: AttributeCheck = (value) =>
  !/\p{Cc}/u.test(value) &&
  /^(?:(?:https?|ftp|mid|mailto|tel|sms|smsto|sip|xmpp|ircs?|im|matrix|magnet|bitcoin|geo|news|nntp|mms|openpgp4fpr|ssh|urn|webcal|wtai|hansoft|obsidian|zotero|asanadesktop):|\/(?!\/)|#|user_uploads\/)/.test(
    value,
  )
const isSource: AttributeCheck = (value) => /^(?:https?:|\/(?!\/)|user_uploads\/)/.test(value) && isSafeUrl(value)
// A declaration can contain neither a URL nor an expression.
const isStyle = matches(/^[a-z-]+:[-a-z0-9.% #]+(?:;[a-z-]+:[-a-z0-9.% #]+)*;?$/)
const isPageStyle = matches(/^background-image: url\("https?:[^"'()\\\s]*"\)$/)

const spanClass: AttributeCheck = (value) =>
  /^(?:(?:user-mention(?: channel-wildcard-mention)?|user-group-mention|topic-mention)(?: silent)?|emoji emoji-[0-9a-f-]+|tex-error)$/.test(
    value,
  ) || /^[A-Za-z0-9_ -]*$/.test(value)

const elements: Record<string, Attributes> = {
  a: {
    class: classes('stream', 'stream-topic', 'message-link', 'message_embed_image'),
    'data-id': matches(/^[\w-]+$/),
    'data-stream-id': matches(number),
    href: isSafeUrl,
    style: isPageStyle,
    title: anything,
  },
  audio: {
    controls: classes(''),
    'data-original-url': isSource,
    preload: classes('metadata'),
    src: isSource,
    title: anything,
  },
  blockquote: {},
  br: {},
  code: {},
  del: {},
  div: {
    'aria-hidden': classes('true'),
    class: classes(
      'codehilite',
      'data-container',
      'message_embed',
      'message_embed_description',
      'message_embed_title',
      'message_inline_image',
      'message_inline_image message_inline_video',
      'spoiler-block',
      'spoiler-content',
      'spoiler-header',
      'youtube-video message_inline_image',
    ),
    'data-code-language': anything,
  },
  em: {},
  hr: {},
  img: {
    alt: anything,
    class: classes('emoji', 'image-loading-placeholder'),
    'data-animated': classes('true'),
    'data-original-content-type': matches(/^image\/[\w+.-]+$/),
    'data-original-dimensions': matches(/^\d+x\d+$/),
    'data-transcoded-image': anything,
    src: isSource,
    title: anything,
  },
  li: {},
  ol: { start: matches(number) },
  p: {},
  pre: {},
  span: {
    'aria-hidden': classes('true'),
    'aria-label': anything,
    class: spanClass,
    'data-user-group-id': matches(number),
    'data-user-id': matches(/^(?:\*|\d+)$/),
    role: classes('img'),
    style: isStyle,
    title: anything,
  },
  strong: {},
  table: {},
  tbody: {},
  td: { style: matches(/^text-align: (?:left|center|right);$/) },
  th: { style: matches(/^text-align: (?:left|center|right);$/) },
  thead: {},
  time: { datetime: matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/) },
  tr: {},
  ul: {},
  video: { preload: classes('metadata'), src: isSource },
}
for (const level of [1, 2, 3, 4, 5, 6]) elements[`h${level}`] = {}

// Formulas: MathML, and the lines that KaTeX draws. Nothing here loads or runs anything.
const word = matches(/^[-A-Za-z0-9.%#+ ]*$/)
const mathAttributes =
  'accent accentunder class columnalign columnlines columnspacing depth display displaystyle encoding fence form ' +
  'frame framespacing height href linebreak linethickness lspace mathbackground mathcolor mathsize mathvariant ' +
  'maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel separator side stretchy symmetric ' +
  'voffset width'
const formula: Attributes = Object.fromEntries(
  mathAttributes
    .split(' ')
    .filter((name) => name !== 'href')
    .map((name) => [name, word]),
)
formula.encoding = classes('application/x-tex')
formula.xmlns = classes('http://www.w3.org/1998/Math/MathML')
formula.style = isStyle
const mathElements =
  'annotation math menclose mfrac mglyph mi mlabeledtr mmultiscripts mn mo mover mpadded mphantom mroot mrow mspace ' +
  'msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics'
for (const name of mathElements.split(' ')) elements[name] = formula
const drawing: Attributes = {
  d: matches(/^[-\dA-Za-z., \n]*$/),
  height: word,
  preserveAspectRatio: word,
  'stroke-width': word,
  style: isStyle,
  viewBox: word,
  width: word,
  x1: word,
  x2: word,
  xmlns: classes('http://www.w3.org/2000/svg'),
  y1: word,
  y2: word,
}
for (const name of ['svg', 'path', 'line']) elements[name] = drawing

const voids = new Set(['br', 'hr', 'img'])
const selfClosing = new Set(['path', 'line'])
const blocks = new Set('blockquote div h1 h2 h3 h4 h5 h6 hr li ol p pre table ul'.split(' '))
const inside: Record<string, Set<string>> = {
  ul: new Set(['li']),
  ol: new Set(['li']),
  table: new Set(['thead', 'tbody']),
  thead: new Set(['tr']),
  tbody: new Set(['tr']),
  tr: new Set(['th', 'td']),
}
const opening = /<([a-z][a-z0-9]*)((?: [A-Za-z][A-Za-z0-9-]*(?:="[^"<>]*")?)*)(\/?)>/y
const closing = /<\/([a-z][a-z0-9]*)>/y
const text = /[^<>]+/y
const entity = /&(?!(?:#\d{1,20}|#[xX][\dA-Fa-f]{1,20}|[A-Za-z\d]+);)/

/** Fails unless the HTML has only known elements, attributes and URLs, in strict syntax and properly nested. */
export function checkHtml(html: string): void {
  const open: string[] = []
  for (let at = 0; at < html.length; ) {
    const start = at
    for (const [pattern, take] of [
      [text, (found: RegExpExecArray) => checkText(found[0], open)],
      [opening, (found: RegExpExecArray) => openElement(found, open)],
      [closing, (found: RegExpExecArray) => assert.equal(open.pop(), found[1])],
    ] as const) {
      pattern.lastIndex = at
      const found = pattern.exec(html)
      if (!found) continue
      take(found)
      at = pattern.lastIndex
      break
    }
    assert.ok(at > start, `no HTML: ${html.slice(at, at + 40)}`)
  }
  assert.deepEqual(open, [])
}

function checkText(found: string, open: string[]): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check looks for them
  assert.doesNotMatch(found, /[\u0000\u0002\u0003]/)
  assert.doesNotMatch(found, entity)
  const parent = open.at(-1) ?? ''
  if (parent in inside || parent === '') assert.equal(found.trim(), '', `text in <${parent}>`)
}

function openElement([, tag = '', list = '', slash = '']: RegExpExecArray, open: string[]): void {
  const allowed = elements[tag]
  assert.ok(allowed, `<${tag}>`)
  checkPlace(tag, open)
  const seen = new Set<string>()
  for (const [, name = '', value = ''] of list.matchAll(/ ([A-Za-z0-9-]+)(?:="([^"]*)")?/g)) {
    assert.ok(!seen.has(name), `${name} twice in <${tag}>`)
    seen.add(name)
    assert.doesNotMatch(value, entity)
    assert.ok(allowed[name]?.(decode(value)), `<${tag} ${name}="${value}">`)
  }
  assert.ok(slash === '' || selfClosing.has(tag), `<${tag}/>`)
  if (!slash && !voids.has(tag)) open.push(tag)
}

function checkPlace(tag: string, open: string[]): void {
  const parent = open.at(-1) ?? ''
  const children = inside[parent]
  assert.ok(!children || children.has(tag), `<${tag}> in <${parent}>`)
  if (tag === 'a') assert.ok(!open.includes('a'), 'a link in a link')
  // A browser ends a paragraph where a block starts, and the rest would be outside.
  if (blocks.has(tag)) assert.ok(!open.includes('p'), `<${tag}> in <p>`)
}

function decode(value: string): string {
  return value
    .replace(/&#(?:x([\da-f]+)|(\d+));/gi, (_, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
    })
    .replace(/&(quot|lt|gt|colon|Tab|NewLine|sol|num);/g, (_, name: string) => named[name] ?? '')
    .replaceAll('&amp;', '&')
}

const named: Record<string, string> = {
  quot: '"',
  lt: '<',
  gt: '>',
  colon: ':',
  Tab: '\t',
  NewLine: '\n',
  sol: '/',
  num: '#',
}
