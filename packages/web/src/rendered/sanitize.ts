import { trusted } from '../platform/trusted-types.ts'

/**
 * The HTML of messages comes from our renderer, which escapes everything. Still, it enters the page only here, and only
 * as elements and attributes of this list.
 */
const elements = words(
  `a abbr b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i img li ol p pre span strong table tbody td th thead
   time tr u ul audio video source path svg line`,
)
const attributes = words(
  `alt class colspan controls data-animated data-code-language data-original-content-type data-original-dimensions
   data-original-src data-style data-transcoded-image data-user-group-id data-user-id data-stream-id datetime d dir
   height href loading preload rel rowspan scope src start title viewBox width xmlns x1 x2 y1 y2 stroke-width
   aria-hidden aria-label preserveAspectRatio`,
)
/** Formulas are read aloud from their MathML. KaTeX writes these, apart from links and images. */
const mathElements = words(
  `annotation math menclose mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msubsup msup
   mtable mtd mtext mtr munder munderover semantics`,
)
/** Those that change its meaning; what KaTeX draws is next to it. */
const mathAttributes = words('accent class display encoding linethickness mathvariant notation stretchy xmlns')
/** KaTeX positions the parts of formulas with these; tables align their columns. */
const properties =
  /^(background-color|border-[a-z-]+|bottom|color|height|left|margin(-[a-z]+)?|min-width|padding-left|position|text-(align|shadow)|top|vertical-align|width)$/
const safeUrl = /^(https?:|mailto:|tel:|xmpp:|\/(?!\/)|#)/i

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/** Browsers apply `style` while they parse, which our content security policy forbids; it is set from script later. */
export function withoutStyles(html: string): string {
  return html.replace(/(<[a-z][^<>]*?)\sstyle=/gi, '$1 data-style=')
}

/** The message as nodes that are safe to insert. */
export function sanitize(html: string): DocumentFragment {
  const parsed = new DOMParser().parseFromString(trusted.createHTML(withoutStyles(html)), 'text/html')
  for (const image of parsed.images) if (isOutside(image)) image.removeAttribute('src')
  const fragment = document.createDocumentFragment()
  fragment.append(...parsed.body.childNodes)
  for (const element of [...fragment.querySelectorAll('*')]) clean(element)
  return fragment
}

/** The content security policy allows only images that come through the server. The browser would report each of the others. */
function isOutside({ src }: HTMLImageElement): boolean {
  return /^https?:/.test(src) && new URL(src).origin !== window.location.origin
}

function clean(element: Element): void {
  const isMath = mathElements.has(element.localName)
  if (!isMath && !elements.has(element.localName)) return element.remove()
  const allowed = isMath ? mathAttributes : attributes
  for (const { name, value } of [...element.attributes]) {
    const isUrl = name === 'href' || name === 'src'
    if (!allowed.has(name) || (isUrl && !safeUrl.test(value))) element.removeAttribute(name)
  }
  applyStyle(element)
  if (element.localName === 'a') finishLink(element as HTMLAnchorElement)
}

const previewImage = /^background-image: url\("(\/external_content\/[\w-]+\/[0-9a-f]+)"\)$/

/** The image of a linked page is the background of a link; here it is an image, which loads when it is needed. */
function addPreviewImage(link: Element, style: string): void {
  const [, src] = previewImage.exec(style) ?? []
  if (src === undefined || !link.classList.contains('message_embed_image')) return
  link.append(Object.assign(document.createElement('img'), { alt: '', loading: 'lazy', src }))
}

/** Only lengths, colours and the like are taken over. */
function applyStyle(element: Element): void {
  const style = element.getAttribute('data-style')
  if (style === null) return
  element.removeAttribute('data-style')
  addPreviewImage(element, style)
  for (const declaration of style.split(';')) {
    const [property, value] = declaration.split(':').map((part) => part.trim())
    const isSafe = property && value && properties.test(property) && /^[\w.\- %#()]+$/.test(value)
    if (isSafe && !/url|fixed/.test(value)) (element as HTMLElement).style.setProperty(property, value)
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
