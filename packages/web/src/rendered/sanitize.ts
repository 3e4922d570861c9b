import { trusted } from '../platform/trusted-types.ts'

/**
 * The HTML of messages comes from our renderer, which escapes everything. Still, it enters the page only here, and only
 * as elements and attributes of this list.
 */
const elements = new Set(
  `a abbr annotation b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i img li math mi mn mo mover mpadded mroot mrow
   ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover ol p pre semantics span strong table
   tbody td th thead time tr u ul audio video source path svg line`
    .split(/\s+/)
    .filter(Boolean),
)
const attributes = new Set(
  `alt class colspan controls data-animated data-code-language data-original-content-type data-original-dimensions
   data-original-src data-style data-transcoded-image data-user-group-id data-user-id data-stream-id datetime d dir
   display encoding height href loading mathvariant preload rel rowspan scope src start title viewBox width xmlns x1 x2
   y1 y2 aria-hidden aria-label preserveAspectRatio`
    .split(/\s+/)
    .filter(Boolean),
)
/** Formulas come as MathML too, which every browser draws without further fonts. */
const formulaAsSpans = 'katex-html'
const safeUrl = /^(https?:|mailto:|tel:|xmpp:|\/(?!\/)|#)/i

/** Browsers apply `style` while they parse, which our content security policy forbids; it is set from script later. */
function withoutStyles(html: string): string {
  return html.replace(/(<[a-z][^<>]*?)\sstyle=/gi, '$1 data-style=')
}

/** The message as nodes that are safe to insert. */
export function sanitize(html: string): DocumentFragment {
  const parsed = new DOMParser().parseFromString(trusted.createHTML(withoutStyles(html)), 'text/html')
  const fragment = document.createDocumentFragment()
  fragment.append(...parsed.body.childNodes)
  for (const element of [...fragment.querySelectorAll('*')]) clean(element)
  return fragment
}

function clean(element: Element): void {
  if (!elements.has(element.localName) || element.classList.contains(formulaAsSpans)) return element.remove()
  for (const { name, value } of [...element.attributes]) {
    const isUrl = name === 'href' || name === 'src'
    if (!attributes.has(name) || (isUrl && !safeUrl.test(value))) element.removeAttribute(name)
  }
  applyStyle(element)
  if (element.localName === 'a') finishLink(element as HTMLAnchorElement)
}

/** Formulas and a few emoji are positioned by inline styles; only lengths and the like are taken over. */
function applyStyle(element: Element): void {
  const style = element.getAttribute('data-style')
  if (style === null) return
  element.removeAttribute('data-style')
  for (const declaration of style.split(';')) {
    const [property, value] = declaration.split(':').map((part) => part.trim())
    if (property && value && /^[\w.\- %#()]+$/.test(value) && !value.includes('url'))
      (element as HTMLElement).style.setProperty(property, value)
  }
}

/** Links to our own narrows stay in this window; all others open a new one and learn nothing about ours. */
function finishLink(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href') ?? ''
  const own = href.startsWith('#') ? href : href.replace(/^\/(?=#)/, '')
  if (own.startsWith('#')) return link.setAttribute('href', own)
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
}
