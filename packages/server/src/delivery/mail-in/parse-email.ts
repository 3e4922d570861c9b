import PostalMime, { type Attachment, addressParser, type Email } from 'postal-mime'
import { htmlToText } from './text/html-to-text.ts'
import { ownWords, type Wishes } from './text/own-words.ts'

/** What of an email its author chose to post, and what decides whether it may be. */
export interface ParsedEmail {
  /** The addresses of all authors; one, unless a user wants to be taken for another. */
  from: string[]
  fromName: string
  subject: string
  /** Values of the headers that matter, by name in lower case, the topmost first. */
  headers: Record<string, string[]>
  text: string
  attachments: ParsedAttachment[]
  /** Attachments that there are too many of. */
  leftOut: number
}

export interface ParsedAttachment {
  name: string
  type: string
  content: Uint8Array
  /** What stands in `text` where the image belongs; empty: nothing does. */
  place: string
}

export interface Options extends Wishes {
  /** Prefer the HTML to the plain text. */
  html?: boolean
}

const limits = {
  maxNestingDepth: 10,
  maxHeadersSize: 256 * 1024,
  maxRfc822NestingDepth: 0,
  forceRfc822Attachments: true,
}
const mostAttachments = 20
/** Before quotes are cut. */
const longestText = 1024 * 1024

const keptHeaders = [
  'authentication-results',
  'auto-submitted',
  'precedence',
  'x-parley',
  'return-path',
  'content-type',
]

/** Throws for what is no email, or too deep. Runs in a worker, where its time and memory are limited. */
export async function parseEmail(raw: Uint8Array, options: Options = {}): Promise<ParsedEmail> {
  const email = await PostalMime.parse(raw, limits)
  const authors = email.headers.filter(({ key }) => key === 'from').flatMap(({ value }) => mailboxesIn(value))
  const subject = oneLine(email.subject ?? '')
  const text = textOf(email, options)
  const files = email.attachments.filter((file) => !isLeftOut(file, text))
  return {
    from: authors.map(({ address }) => address),
    fromName: oneLine(authors[0]?.name ?? ''),
    subject,
    headers: Object.fromEntries(keptHeaders.map((name) => [name, valuesOf(email, name)])),
    text,
    attachments: files.slice(0, mostAttachments).map((file) => attachmentOf(file, text)),
    leftOut: Math.max(0, files.length - mostAttachments),
  }
}

function valuesOf({ headers }: Email, name: string): string[] {
  return headers.filter(({ key }) => key === name).map(({ value }) => value)
}

function mailboxesIn(header: string): { name: string; address: string }[] {
  return addressParser(header.slice(0, 10_000), { flatten: true }).map(({ name, address }) => ({
    name,
    address: address ?? '',
  }))
}

const longestLine = 1000

function oneLine(text: string): string {
  return text
    .slice(0, longestLine)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .toWellFormed()
    .trim()
}

function textOf({ text = '', html = '' }: Email, options: Options): string {
  const fromHtml = () => ownWords(htmlToText(html, options), options)
  const fromText = () => ownWords(text.slice(0, longestText), options)
  if (html === '') return fromText()
  if (options.html || text.trim() === '') return fromHtml()
  return fromText() || fromHtml()
}

/** Images of a signature or a quote: they belong to the HTML, and the text does not show where. */
function isLeftOut(file: Attachment, text: string): boolean {
  return file.related === true && file.disposition !== 'attachment' && referenceIn(file, text) === ''
}

function attachmentOf(file: Attachment, text: string): ParsedAttachment {
  const content =
    typeof file.content === 'string' ? new TextEncoder().encode(file.content) : new Uint8Array(file.content)
  return { name: oneLine(file.filename ?? ''), type: file.mimeType, content, place: referenceIn(file, text) }
}

/** Gmail writes `[image: photo.png]`, Outlook `[cid:part1@example]`, and so do we for HTML. */
function referenceIn({ contentId, filename }: Attachment, text: string): string {
  const cid = contentId?.replace(/^<|>$/g, '')
  const places = [...(cid ? [`[cid:${cid}]`] : []), ...(filename ? [`[image: ${filename}]`] : [])]
  return places.find((place) => text.includes(place)) ?? ''
}
