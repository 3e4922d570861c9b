const item = /^( *)([*+-]|\d\.) +/

/**
 * Inserts the blank line that the parser needs before a list that follows text or another kind of list. In spoilers a
 * nested list of another kind needs none, so that it does not loosen the list around it: Zulip inserts none there at all.
 */
export function separateLists(text: string, place: 'spoiler' | 'elsewhere' = 'elsewhere'): string {
  if (!text.includes('\n')) return text
  const startsNewList = place === 'spoiler' ? startsListInSpoiler : startsList
  const lines = text.split('\n')
  const separated: string[] = []
  let inList = false
  lines.forEach((line, index) => {
    separated.push(line)
    const next = lines[index + 1]
    inList = line !== '' && (inList || item.test(line))
    if (next !== undefined && line && startsNewList(line, next, inList)) separated.push('')
  })
  return separated.length === lines.length ? text : separated.join('\n')
}

function startsList(line: string, next: string): boolean {
  const after = item.exec(next)
  if (!after) return false
  const before = item.exec(line)
  return !before || isNumber(before) !== isNumber(after)
}

function startsListInSpoiler(line: string, next: string, inList: boolean): boolean {
  if (!inList) return item.test(next)
  const [before, after] = [item.exec(line), item.exec(next)]
  return before !== null && after !== null && isOuter(before) && isOuter(after) && isNumber(before) !== isNumber(after)
}

const isNumber = ([, , mark]: RegExpExecArray) => mark !== undefined && mark.length > 1

const isOuter = ([, indentation = '']: RegExpExecArray) => indentation.length < 2
