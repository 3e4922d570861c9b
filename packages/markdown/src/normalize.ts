import { markEnd, markStart } from './marks.ts'

const tabWidth = 4

/** Line ends, tabs and blank lines in the one form that the parser expects. */
export function normalize(content: string): string {
  let text = content.replace(/(?<!\n)\n+$/, '')
  for (const forbidden of ['\0', markStart, markEnd]) text = text.replaceAll(forbidden, '')
  if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n')
  if (text.includes('\t')) text = text.split('\n').map(expandTabs).join('\n')
  if (text.includes('\n')) text = text.replace(/^ +$/gm, '')
  return text
}

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line
  let expanded = ''
  for (const part of line.split('\t')) expanded += part + ' '.repeat(tabWidth - (part.length % tabWidth))
  // The loop also fills up after the last part, where no tab was; what a line ends with is never shown.
  return expanded.trimEnd()
}
