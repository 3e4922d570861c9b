/** The text without newlines at its start and end. By hand, since a pattern would try again at every newline. */
export function trimNewlines(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === '\n') start++
  while (end > start && text[end - 1] === '\n') end--
  return text.slice(start, end)
}
