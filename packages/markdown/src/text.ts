/** The text without newlines at its start and end. Written by hand, because a regular expression would retry at every newline. */
export function trimNewlines(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === '\n') start++
  while (end > start && text[end - 1] === '\n') end--
  return text.slice(start, end)
}
