import type { Liquid } from 'liquidjs'
import { codeBlock, codeSpan, escapeText, linkTo, oneLine, quoteBlock, shorten } from './markup.ts'
import { listOf, textOf, valueAt } from './paths.ts'

type Filter = (value: unknown, ...args: unknown[]) => unknown

/** Results of these are markup, which is not escaped again. */
const toMarkup: Record<string, Filter> = {
  link: (text, url) => linkTo(textOf(text), textOf(url)),
  code: (text) => codeSpan(textOf(text)),
  code_block: (text, language) => codeBlock(textOf(text), textOf(language)),
  quote: (text) => quoteBlock(textOf(text)),
  bold: (text) => (oneLine(textOf(text)) === '' ? '' : `**${escapeText(oneLine(textOf(text)))}**`),
  commit_list: (commits, url) => commitList(listOf(commits), textOf(url)),
  table: (rows) => table(rows),
  time: (value) => timeOf(value),
}

const toText: Record<string, Filter> = {
  one_line: (text) => oneLine(textOf(text)),
  first_line: (text) => textOf(text).trim().split('\n', 1)[0]!,
  shorten: (text, length) => shorten(textOf(text), Number(length) || 200),
  branch: (ref) => textOf(ref).replace(/^refs\/(heads|tags)\//, ''),
  sha: (hash) => textOf(hash).slice(0, 10),
  plural: (count, one, many) => `${textOf(count)} ${Number(count) === 1 ? textOf(one) : textOf(many)}`,
  money: (amount, currency) => moneyOf(Number(amount), textOf(currency)),
  at: (value, path) => valueAt(value, textOf(path)),
}

export function addFilters(engine: Liquid): void {
  for (const [name, handler] of Object.entries(toMarkup)) engine.registerFilter(name, { raw: true, handler })
  for (const [name, handler] of Object.entries(toText)) engine.registerFilter(name, handler)
}

/** An amount in the smallest unit of its currency, such as cents. */
function moneyOf(amount: number, currency: string): string {
  const code = currency.toUpperCase()
  if (!/^[A-Z]{3}$/.test(code) || !Number.isFinite(amount)) return `${textOf(amount)} ${code}`.trim()
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'code' })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

const longestCommitList = 10

/** One line per commit; many are cut off, with a link to all of them. */
function commitList(commits: unknown[], allUrl: string): string {
  const lines = commits.slice(0, longestCommitList).map((commit) => {
    const message = textOf(valueAt(commit, 'message')).trim().split('\n', 1)[0]!
    const id = textOf(valueAt(commit, 'id')).slice(0, 10)
    return `* ${escapeText(shorten(message, 200))} (${linkTo(id, textOf(valueAt(commit, 'url')))})`
  })
  const more = commits.length - longestCommitList
  return [...lines, ...(more > 0 ? [`* ${linkTo(`${more} more`, allUrl)}`] : [])].join('\n')
}

const longestTable = 30

/** Names and values of an object, one per line. */
function table(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  const rows = Object.entries(value).slice(0, longestTable)
  return rows
    .map(([name, text]) => `* **${escapeText(oneLine(name))}**: ${escapeText(oneLine(shorten(textOf(text), 500)))}`)
    .join('\n')
}

/** A time that each reader sees in their own time zone. Takes ISO texts and seconds. */
function timeOf(value: unknown): string {
  const date = new Date(typeof value === 'number' ? value * 1000 : textOf(value))
  return Number.isNaN(date.getTime()) ? escapeText(textOf(value)) : `<time:${date.toISOString()}>`
}
