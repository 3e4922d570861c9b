import { escapeHtml } from '../../platform/html.ts'
import { anchorOf, inlineHtml } from './help-text.ts'

/** Takes lines from the start of the list and returns their HTML. */
type Block = (lines: string[]) => string

const marker = /^(?:- |(\d+)\. )/

/** By the line with which they begin; anything else is a paragraph. */
const blocks: [RegExp, Block][] = [
  [/^```/, fence],
  [/^#{1,4} /, heading],
  [/^\|/, table],
  [marker, list],
  [/^\s*$/, blank],
]

/** The Markdown of `docs` as HTML. Messages have another renderer, in which each line break counts. */
export function helpHtml(text: string): string {
  const seen = new Map<string, number>()
  return htmlOf(text).replace(/(<h\d id="[^"]+)"/g, (_, start: string) => {
    const count = seen.get(start) ?? 0
    seen.set(start, count + 1)
    return count === 0 ? `${start}"` : `${start}-${count}"` // as GitHub does
  })
}

function htmlOf(text: string): string {
  const lines = text.split('\n')
  let html = ''
  while (lines.length > 0) html += (blockOf(lines[0]!) ?? paragraph)(lines)
  return html
}

function blockOf(line: string): Block | undefined {
  return blocks.find(([start]) => start.test(line))?.[1]
}

function takeWhile(lines: string[], isPart: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !isPart(line))
  return lines.splice(0, end === -1 ? lines.length : end)
}

function fence(lines: string[]): string {
  lines.shift()
  const code = takeWhile(lines, (line) => !line.startsWith('```'))
  lines.shift()
  return `<pre><code>${escapeHtml(code.join('\n'))}</code></pre>\n`
}

function heading(lines: string[]): string {
  const [, marks, text] = /^(#+) (.*)$/.exec(lines.shift()!)!
  const level = marks!.length
  return `<h${level} id="${anchorOf(text!)}">${inlineHtml(text!)}</h${level}>\n`
}

function table(lines: string[]): string {
  const [head, , ...body] = takeWhile(lines, (line) => line.startsWith('|')).map(cellsOf)
  const row = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inlineHtml(cell)}</${tag}>`).join('')}</tr>`
  return `<table>${row(head!, 'th')}${body.map((cells) => row(cells, 'td')).join('')}</table>\n`
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').map((cell) => cell.trim())
  return cells.slice(1, -1)
}

/** An item goes on in lines that are indented; these may be blocks of their own. */
function list(lines: string[]): string {
  const number = marker.exec(lines[0]!)![1]
  let items = ''
  while (lines.length > 0 && marker.test(lines[0]!)) items += item(lines)
  return number === undefined ? `<ul>${items}</ul>\n` : `<ol start="${number}">${items}</ol>\n`
}

function item(lines: string[]): string {
  const first = lines.shift()!
  const indent = marker.exec(first)![0].length
  const rest = takeWhile(lines, (line) => line.startsWith(' ')).map((line) => line.slice(indent))
  const content = [first.slice(indent), ...rest]
  const start = content.findIndex((line, index) => index > 0 && blockOf(line))
  const text = start === -1 ? content.splice(0) : content.splice(0, start)
  return `<li>${inlineHtml(joined(text))}${htmlOf(content.join('\n'))}</li>`
}

function blank(lines: string[]): string {
  lines.shift()
  return ''
}

function paragraph(lines: string[]): string {
  const first = lines.shift()!
  return `<p>${inlineHtml(joined([first, ...takeWhile(lines, (line) => !blockOf(line))]))}</p>\n`
}

function joined(lines: string[]): string {
  return lines.map((line) => line.trim()).join(' ')
}
