import { codeBlock, codeSpan, escapeText, linkTo } from '../markup.ts'
import { type Sign, type SlackToken, slackTokens } from './tokens.ts'

/** Who is behind Slack's ids. Without an answer, the name that stands beside the id is written, or the id. */
export interface SlackNames {
  user?(id: string): string | undefined
  channel?(id: string): string | undefined
  group?(id: string): string | undefined
}

const ours: Record<Sign, string> = { '*': '**', _: '*', '~': '~~' }

/** Slack's markup as ours. `names` returns markup: a mention, for example. */
export function slackToMarkup(text: string, names: SlackNames = {}): string {
  const tokens = slackTokens(text)
  const pairs = pairedSigns(tokens)
  return quotesAtLineStarts(tokens.map((token, index) => written(token, pairs.has(index), names)).join(''))
}

/** The indexes of signs that begin or end an emphasis within a line. */
function pairedSigns(tokens: SlackToken[]): Set<number> {
  const paired = new Set<number>()
  let open: { sign: Sign; index: number }[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'text' && token.text.includes('\n')) open = []
    if (token.kind !== 'sign') continue
    const place = token.closes ? open.findLastIndex(({ sign }) => sign === token.sign) : -1
    if (place >= 0) {
      paired.add(open[place]!.index).add(index)
      open = open.slice(0, place)
    } else if (token.opens) open.push({ sign: token.sign, index })
  }
  return paired
}

function written(token: SlackToken, isPaired: boolean, names: SlackNames): string {
  switch (token.kind) {
    case 'text':
      return escapeText(token.text)
    case 'sign':
      return isPaired ? ours[token.sign] : token.sign === '*' ? '&#42;' : token.sign
    case 'code':
      return codeSpan(token.text)
    case 'code_block':
      return `\n${codeBlock(token.text.replace(/^\n|\n$/g, ''))}\n`
    case 'link':
      return link(token.url, token.text)
    case 'user':
    case 'channel':
    case 'group':
      return names[token.kind]?.(token.id) ?? plainName(token.kind, token.name || token.id)
    case 'broadcast':
      return '@**all**'
    case 'date':
      return Number.isFinite(token.seconds) && token.seconds > 0
        ? `<time:${new Date(Math.min(token.seconds, 1e11) * 1000).toISOString()}>`
        : escapeText(token.fallback)
  }
}

function link(url: string, text: string): string {
  if (text === '' && url.startsWith('mailto:')) return escapeText(url.slice('mailto:'.length))
  return text === '' ? linkTo(url, url) : linkTo(text, url)
}

function plainName(kind: 'user' | 'channel' | 'group', name: string): string {
  const sign = kind === 'channel' ? '#' : '@'
  return `${sign}${escapeText(name.replace(/^[@#]/, ''))}`
}

/** Slack writes `&gt; text` or `>text` for a quote; after decoding both begin with a reference. */
function quotesAtLineStarts(text: string): string {
  return text.replace(/^&#62; ?/gm, '> ')
}
