import { lookup } from '@parley/api/lookup'

export interface MailElement {
  name: string
  attributes: ReadonlyMap<string, string>
  children: MailNode[]
}

/** A string is text without entities. */
export type MailNode = string | MailElement

const withoutContent = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** Their content is not shown. */
const hidden = new Set(['style', 'script', 'title', 'template', 'noscript'])
/** A second one ends the first: their end tags are often left out. */
const endsItself = new Set(['p', 'li', 'td', 'th', 'tr', 'dt', 'dd', 'option'])
/** Deeper elements become siblings, so that no email exhausts the stack. */
const maxDepth = 60

/** The elements of the HTML of an email, however broken. Takes linear time; what is not a tag is text. */
export function parseMailHtml(html: string): MailNode[] {
  const root: MailElement = { name: '', attributes: new Map(), children: [] }
  const open = [root]
  let place = 0
  while (place < html.length) {
    const start = html.indexOf('<', place)
    const text = html.slice(place, start < 0 ? html.length : start)
    if (text !== '') open.at(-1)!.children.push(decodeEntities(text))
    if (start < 0) break
    place = readMarkup(html, start, open)
  }
  return root.children
}

/** Reads what begins with `<` and returns where it ends. */
function readMarkup(html: string, start: number, open: MailElement[]): number {
  if (html.startsWith('<!--', start)) return after(html, '-->', start + 4)
  if (/[!?]/.test(html[start + 1] ?? '')) return after(html, '>', start + 1)
  const name = /^<(\/?)([a-z][a-z0-9:-]{0,40})/i.exec(html.slice(start, start + 50))
  if (!name) {
    open.at(-1)!.children.push('<')
    return start + 1
  }
  const end = endOfTag(html, start)
  const tag = name[2]!.toLowerCase()
  if (name[1]) close(open, tag)
  else if (hidden.has(tag)) return afterHidden(html, tag, end)
  else add(open, tag, html.slice(start + name[0].length, end - 1))
  return end
}

function after(html: string, what: string, from: number): number {
  const found = html.indexOf(what, from)
  return found < 0 ? html.length : found + what.length
}

const longestTag = 20_000

/** Behind the `>` that is not in quotes. A tag that is too long ends anywhere. */
function endOfTag(html: string, start: number): number {
  const limit = Math.min(html.length, start + longestTag)
  let quote = ''
  for (let place = start; place < limit; place++) {
    const character = html[place]!
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '>') return place + 1
    else if ((character === '"' || character === "'") && html[place - 1] === '=') quote = character
  }
  return limit
}

function afterHidden(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = from
  return end.exec(html) ? after(html, '>', end.lastIndex) : html.length
}

function add(open: MailElement[], name: string, source: string): void {
  if (endsItself.has(name) && open.at(-1)!.name === name) open.pop()
  const element: MailElement = { name, attributes: attributesOf(source), children: [] }
  open.at(-1)!.children.push(element)
  if (!withoutContent.has(name) && !source.endsWith('/') && open.length < maxDepth) open.push(element)
}

function close(open: MailElement[], name: string): void {
  const start = open.findLastIndex((element) => element.name === name)
  if (start > 0) open.length = start
}

const attribute = /([a-z_:][-a-z0-9_:.]*)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/gi

function attributesOf(source: string): Map<string, string> {
  const pairs = [...source.matchAll(attribute)].slice(0, 100)
  return new Map(
    pairs.map(([, name, double, single, bare]) => [
      name!.toLowerCase(),
      decodeEntities(double ?? single ?? bare ?? ''),
    ]),
  )
}

const characters: Record<string, string> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  amp: '&',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  sbquo: '‚',
  bull: '•',
  middot: '·',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  sect: '§',
  deg: '°',
  plusmn: '±',
  times: '×',
  frac12: '½',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  Eacute: 'É',
  egrave: 'è',
  Egrave: 'È',
  ecirc: 'ê',
  euml: 'ë',
  agrave: 'à',
  Agrave: 'À',
  aacute: 'á',
  Aacute: 'Á',
  acirc: 'â',
  atilde: 'ã',
  aring: 'å',
  Aring: 'Å',
  aelig: 'æ',
  AElig: 'Æ',
  ccedil: 'ç',
  Ccedil: 'Ç',
  iacute: 'í',
  Iacute: 'Í',
  icirc: 'î',
  iuml: 'ï',
  ntilde: 'ñ',
  Ntilde: 'Ñ',
  oacute: 'ó',
  Oacute: 'Ó',
  ocirc: 'ô',
  otilde: 'õ',
  oslash: 'ø',
  Oslash: 'Ø',
  oelig: 'œ',
  uacute: 'ú',
  Uacute: 'Ú',
  ugrave: 'ù',
  ucirc: 'û',
  yacute: 'ý',
  iexcl: '¡',
  iquest: '¿',
  ordf: 'ª',
  ordm: 'º',
  thinsp: ' ',
  ensp: ' ',
  emsp: ' ',
  zwnj: '',
  zwj: '',
  shy: '',
  larr: '←',
  rarr: '→',
}

/** Characters that HTML writes as names or numbers. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z0-9]{1,9}));/gi,
    (source, decimal, hexadecimal, name) => {
      if (name !== undefined) return lookup(characters, name) ?? source
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : source
    },
  )
}
