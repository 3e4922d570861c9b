import { escapeCode } from '../html.ts'
import type { Inline } from './inline.ts'

interface Run {
  start: number
  length: number
}

/** Text between two runs of backticks of the same length. A backslash before a backtick escapes it. */
export function codeSpans(text: string, inline: Inline): string {
  const runs = backtickRuns(text)
  const byLength = groupByLength(runs)
  let result = ''
  let end = 0
  for (const run of runs) {
    if (run.start < end) continue
    const opening = usable(text, run)
    const closing = closingRun(opening, byLength)
    if (!closing) continue
    const start = opening.start + closing.length
    result += text.slice(end, opening.start)
    end = closing.start + closing.length
    result += inline.keep(
      `<code>${escapeCode(text.slice(start, closing.start))}</code>`,
      text.slice(opening.start, end),
    )
  }
  return result + text.slice(end)
}

function backtickRuns(text: string): Run[] {
  return Array.from(text.matchAll(/`+/g), ({ 0: run, index }) => ({ start: index, length: run.length }))
}

/** The starts of the runs of each length, in order. */
function groupByLength(runs: Run[]): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const { start, length } of runs) {
    const group = groups.get(length)
    if (group) group.push(start)
    else groups.set(length, [start])
  }
  return groups
}

/** The part of the run that may open code. */
function usable(text: string, { start, length }: Run): Run {
  let backslashes = 0
  while (text[start - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 ? { start: start + 1, length: length - 1 } : { start, length }
}

/** The next run as long as the opening one, otherwise as long as a part of it. */
function closingRun(opening: Run, byLength: Map<number, number[]>): Run | undefined {
  for (let length = opening.length; length > 0; length--) {
    const starts = byLength.get(length)
    if (!starts) continue
    // Runs are visited from left to right, so earlier ones are never needed again.
    while (starts[0] !== undefined && starts[0] < opening.start + opening.length) starts.shift()
    if (starts[0] !== undefined) return { start: starts[0], length }
  }
  return undefined
}
