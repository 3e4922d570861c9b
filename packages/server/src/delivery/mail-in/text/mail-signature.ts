import { programSignatures } from './quote-words.ts'

/** Without a signature after `-- `, and without what telephones add ("Sent from my iPhone"). */
export function withoutSignature(lines: string[]): string[] {
  const start = lines.findIndex((line, index) => line === '-- ' || (line === '--' && isShort(lines, index)))
  return withoutProgram(start < 0 ? lines : lines.slice(0, start))
}

const longestSignature = 8

/** Many programs remove the space after the dashes; then only a short end is a signature. */
function isShort(lines: string[], start: number): boolean {
  return lines.length - start - 1 <= longestSignature && (start === 0 || lines[start - 1]!.trim() === '')
}

const longestLine = 120

/** In every language, it is a link of Microsoft beside the name. */
function isOutlook(text: string): boolean {
  return text.includes('outlook') && text.includes('https://aka.ms/')
}

function withoutProgram(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  if (last < 0) return lines
  const text = lines[last]!.trim()
    .replace(/^[<[*_]+/, '')
    .toLowerCase()
  const isAdded =
    text.length <= longestLine && (programSignatures.some((one) => text.startsWith(one)) || isOutlook(text))
  return isAdded && (last === 0 || lines[last - 1]!.trim() === '') ? withoutProgram(lines.slice(0, last)) : lines
}
