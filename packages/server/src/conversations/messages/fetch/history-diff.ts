/** The units of a diff: a tag, a run of whitespace, or a word. */
const pieces = /<[^<>]*>|\s+|[^\s<]+/g
/** If more pairs of pieces than this would be compared, the differing middle is shown as replaced. */
const maxComparisons = 4_000_000

type Kind = 'same' | 'deleted' | 'inserted'
interface Part {
  kind: Kind
  text: string
}

/** Diffs many pairs. Once `hasTime` returns false, the remaining diffs are coarse. */
export function htmlDiffs(pairs: [before: string, after: string][], hasTime: () => boolean): string[] {
  return pairs.map(([before, after]) => htmlDiff(before, after, hasTime() ? maxComparisons : 0))
}

/** The new HTML with insertions and deletions highlighted. Its tags are always those of the new HTML. */
export function htmlDiff(before: string, after: string, limit = maxComparisons): string {
  const parts = compare(before.match(pieces) ?? [], after.match(pieces) ?? [], limit)
  return grouped(parts).map(marked).join('')
}

function compare(before: string[], after: string[], limit: number): Part[] {
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return [
    ...after.slice(0, start).map((text) => part('same', text)),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end), limit),
    ...after.slice(after.length - end).map((text) => part('same', text)),
  ]
}

function part(kind: Kind, text: string): Part {
  return { kind, text }
}

/** Compares by the longest common subsequence of pieces. */
function compareMiddle(before: string[], after: string[], limit: number): Part[] {
  const isLong = before.length * after.length > limit
  const lengths = isLong ? undefined : commonLengths(before, after)
  const width = after.length + 1
  const parts: Part[] = []
  let a = 0
  let b = 0
  while (a < before.length || b < after.length) {
    if (lengths && a < before.length && b < after.length && before[a] === after[b]) {
      parts.push(part('same', after[b]!))
      a++
      b++
    } else if (a < before.length && (b === after.length || deletesFirst(lengths, a, b, width))) {
      parts.push(part('deleted', before[a++]!))
    } else {
      parts.push(part('inserted', after[b++]!))
    }
  }
  return parts
}

function deletesFirst(lengths: Uint16Array | undefined, a: number, b: number, width: number): boolean {
  return !lengths || lengths[(a + 1) * width + b]! >= lengths[a * width + b + 1]!
}

/** At [a, b]: the length of the longest common subsequence of `before` from piece a on and `after` from piece b on. */
function commonLengths(before: string[], after: string[]): Uint16Array {
  const width = after.length + 1
  const lengths = new Uint16Array((before.length + 1) * width)
  for (let a = before.length - 1; a >= 0; a--)
    for (let b = after.length - 1; b >= 0; b--)
      lengths[a * width + b] =
        before[a] === after[b]
          ? lengths[(a + 1) * width + b + 1]! + 1
          : Math.max(lengths[(a + 1) * width + b]!, lengths[a * width + b + 1]!)
  return lengths
}

/** Joins neighbours of the same kind. Tags stay separate, because a highlight must not span tags. */
function grouped(parts: Part[]): Part[] {
  const groups: Part[] = []
  for (const { kind, text } of parts) {
    if (isTag(text)) {
      if (kind !== 'deleted') groups.push(part('same', text))
      continue
    }
    const last = groups.at(-1)
    if (last && last.kind === kind && !isTag(last.text)) last.text += text
    else groups.push(part(kind, text))
  }
  return groups
}

function isTag(text: string): boolean {
  return text.startsWith('<')
}

function marked({ kind, text }: Part): string {
  if (kind === 'same' || text.trim() === '') return kind === 'deleted' ? '' : text
  return `<span class="highlight_text_${kind}">${text}</span>`
}
