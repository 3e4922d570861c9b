import { markEnd, markStart } from './inline/marks.ts'

const tabWidth = 4
const forbidden = new RegExp(`[\\0${markStart}${markEnd}]`, 'g')

/** Normalizes line ends, tabs and blank lines to the form that the parser expects. */
export function normalize(content: string): string {
  let text = content.endsWith('\n') ? content.replace(/(?<!\n)\n+$/, '') : content
  text = text.replace(forbidden, '')
  if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n')
  if (text.includes('\t')) text = text.split('\n').map(expandTabs).join('\n')
  if (text.includes('\n')) text = text.replace(/^ +$/gm, '')
  return text
}

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line
  let expanded = ''
  for (const part of line.split('\t')) expanded += part + ' '.repeat(tabWidth - (part.length % tabWidth))
  // The loop also pads after the last part, without a tab; trailing spaces are never shown.
  return expanded.trimEnd()
}
