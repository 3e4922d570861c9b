/** The content of a fenced block, stored while the text around it is parsed. */
export type Fenced =
  | { kind: 'code'; language: string; text: string }
  | { kind: 'math'; text: string }
  | { kind: 'quote'; text: string }
  | { kind: 'spoiler'; header: string; text: string }

interface OpenFence {
  fence: string
  language: string
  header: string
  lines: string[]
}

const fenceLine = /^(~{3,}|`{3,}) *(?:\{?\.?([a-zA-Z0-9_+\-./#]+)(?![a-zA-Z0-9_+\-./#]) *([^ ~`][^~`]*)?\}?)?$/
const maxDepth = 20

/** Replaces every outermost fenced block of the text by a mark on a line of its own; fences in quotes nest. */
export function takeFences(text: string, put: (fenced: Fenced) => string, defaultLanguage = ''): string {
  if (!text.includes('```') && !text.includes('~~~')) return text
  const stack: OpenFence[] = [{ fence: '', language: 'quote', header: '', lines: [] }]
  for (const line of text.split('\n')) readLine(stack, line, put, defaultLanguage)
  // An unclosed fence reaches to the end, and is shown even if it is empty.
  if (stack.length > 1) innermost(stack).lines.push('')
  while (stack.length > 1) close(stack, put)
  return innermost(stack).lines.join('\n')
}

function readLine(stack: OpenFence[], line: string, put: (fenced: Fenced) => string, defaultLanguage: string): void {
  const current = innermost(stack)
  const opening = holdsMarkup(current) && stack.length < maxDepth ? fenceLine.exec(line) : null
  if (current.fence && line.trimEnd() === current.fence) close(stack, put)
  else if (opening) stack.push(openFence(opening, defaultLanguage))
  else current.lines.push(current.fence ? line.trimEnd() : line)
}

function openFence(opening: RegExpExecArray, defaultLanguage: string): OpenFence {
  const [, fence = '', language = defaultLanguage, header = ''] = opening
  return { fence, language: language.toLowerCase(), header, lines: [] }
}

function close(stack: OpenFence[], put: (fenced: Fenced) => string): void {
  const closed = stack.pop()
  if (!closed || closed.lines.length === 0) return
  innermost(stack).lines.push('', put(content(closed)), '')
}

function content({ language, header, lines }: OpenFence): Fenced {
  const text = lines.join('\n')
  if (isQuote(language)) return { kind: 'quote', text }
  if (language === 'spoiler') return { kind: 'spoiler', header, text }
  return language === 'math' ? { kind: 'math', text } : { kind: 'code', language, text }
}

function holdsMarkup(open: OpenFence): boolean {
  return isQuote(open.language) || open.language === 'spoiler'
}

function isQuote(language: string): boolean {
  return language === 'quote' || language === 'quoted'
}

function innermost(stack: OpenFence[]): OpenFence {
  return stack[stack.length - 1] as OpenFence
}
