/** Slack's markup (mrkdwn), read from left to right. An importer and incoming hooks both start here. */
export type SlackToken =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'code_block'; text: string }
  | { kind: 'link'; url: string; text: string }
  /** `name` is what the sender wrote beside the id, if anything. */
  | { kind: 'user' | 'channel' | 'group'; id: string; name: string }
  /** `here`, `channel` or `everyone`. */
  | { kind: 'broadcast'; name: string }
  | { kind: 'date'; seconds: number; fallback: string }
  /** A sign that may begin or end an emphasis. */
  | { kind: 'sign'; sign: Sign; opens: boolean; closes: boolean }

export type Sign = '*' | '_' | '~'

const signs = '*_~'
const longestTag = 4000

export function slackTokens(text: string): SlackToken[] {
  const tokens: SlackToken[] = []
  let plain = ''
  const add = (token: SlackToken) => {
    if (plain !== '') tokens.push({ kind: 'text', text: decoded(plain) })
    plain = ''
    tokens.push(token)
  }
  for (let at = 0; at < text.length; ) {
    const found = quoted(text, at) ?? tag(text, at) ?? emphasis(text, at)
    if (found) add(found.token)
    else plain += text[at]
    at = found?.end ?? at + 1
  }
  if (plain !== '') tokens.push({ kind: 'text', text: decoded(plain) })
  return tokens
}

interface Found {
  token: SlackToken
  end: number
}

const longestCode = 40_000

/** A code span within a line, or a code block. */
function quoted(text: string, at: number): Found | undefined {
  if (text[at] !== '`') return undefined
  const fence = text.startsWith('```', at) ? '```' : '`'
  const start = at + fence.length
  const within = text.slice(start, start + (fence === '`' ? longestTag : longestCode))
  const length = within.indexOf(fence)
  const content = within.slice(0, length)
  if (length <= 0 || (fence === '`' && content.includes('\n'))) return undefined
  const kind = fence === '`' ? 'code' : 'code_block'
  return { token: { kind, text: withoutTags(decoded(content)) }, end: start + length + fence.length }
}

/** In code, links stand as `<url>` too. */
function withoutTags(text: string): string {
  return text.replace(/<(https?:[^<>|\s]+)(?:\|[^<>]*)?>/g, '$1')
}

function tag(text: string, at: number): Found | undefined {
  if (text[at] !== '<') return undefined
  const within = text.slice(at + 1, at + longestTag)
  const length = within.search(/[<>\n]/)
  if (length <= 0 || within[length] !== '>') return undefined
  return { token: tagOf(within.slice(0, length)), end: at + length + 2 }
}

function tagOf(content: string): SlackToken {
  const bar = content.indexOf('|')
  const target = decoded(bar < 0 ? content : content.slice(0, bar))
  const name = bar < 0 ? '' : decoded(content.slice(bar + 1))
  const rest = target.slice(1)
  if (target.startsWith('@')) return { kind: 'user', id: rest, name }
  if (target.startsWith('#')) return { kind: 'channel', id: rest, name }
  if (target.startsWith('!')) return special(rest, name)
  return { kind: 'link', url: target, text: name }
}

function special(command: string, name: string): SlackToken {
  const [what, ...parts] = command.split('^')
  if (what === 'date') return { kind: 'date', seconds: Number(parts[0]), fallback: name }
  if (what === 'subteam') return { kind: 'group', id: parts[0] ?? '', name }
  return ['here', 'channel', 'everyone'].includes(what!)
    ? { kind: 'broadcast', name: what! }
    : { kind: 'text', text: name || what! }
}

function emphasis(text: string, at: number): Found | undefined {
  const sign = text[at]!
  if (!signs.includes(sign)) return undefined
  const [before, after] = [text[at - 1] ?? ' ', text[at + 1] ?? ' ']
  const opens = !isWord(before) && !isSpace(after) && after !== sign
  const closes = !isSpace(before) && before !== sign && !isWord(after)
  if (!opens && !closes) return undefined
  return { token: { kind: 'sign', sign: sign as Sign, opens, closes }, end: at + 1 }
}

const isWord = (char: string) => /[\p{L}\p{N}]/u.test(char)
const isSpace = (char: string) => /\s/.test(char)

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
