const item = /^ *([*+-]|\d\.) +/

/** Inserts the blank line that the parser needs before a list that follows text or another kind of list. */
export function separateLists(text: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n')
  const separated: string[] = []
  lines.forEach((line, index) => {
    separated.push(line)
    const next = lines[index + 1]
    if (next !== undefined && line && startsNewList(line, next)) separated.push('')
  })
  return separated.length === lines.length ? text : separated.join('\n')
}

function startsNewList(line: string, next: string): boolean {
  const after = item.exec(next)
  if (!after) return false
  const before = item.exec(line)
  // Bullets are one character long, numbers two.
  return !before || before[1]?.length !== after[1]?.length
}
