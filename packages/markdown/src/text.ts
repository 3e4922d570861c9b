/**
 * Replaces each match, except those for which there is no replacement: the search then goes on inside them, so that an
 * opening mark without an end does not hide what follows. The pattern is global.
 */
export function replaceKnown(
  text: string,
  pattern: RegExp,
  replace: (...groups: string[]) => string | undefined,
): string {
  let result = ''
  let end = 0
  pattern.lastIndex = 0
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const replacement = replace(...found)
    if (replacement === undefined) pattern.lastIndex = found.index + 1
    else {
      result += text.slice(end, found.index) + replacement
      end = pattern.lastIndex
    }
  }
  return result + text.slice(end)
}

/** The text without newlines at its start and end. Written by hand, because a regular expression would retry at every newline. */
export function trimNewlines(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === '\n') start++
  while (end > start && text[end - 1] === '\n') end--
  return text.slice(start, end)
}
