import { ApiError } from './api-error.ts'

/** JSON in a parameter may be nested this deep; a body of JSON contains parameters. */
const maxDepth = 20
/** Of all objects together: far more than any operation takes, and far fewer than one request could hold. */
const maxFields = 10_000

/**
 * Refuses JSON that is expensive to handle, before it is parsed: objects of many fields take far longer than other
 * text of the same length, and deep nesting exhausts the stack. What is in strings does not count.
 */
export function checkJsonShape(name: string, text: string, { depth = maxDepth, fields = maxFields } = {}): void {
  let level = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) at = endOfString(text, at)
    else if (char === colon) count++
    else if (char === openBracket || char === openBrace) level++
    else if (char === closeBracket || char === closeBrace) level--
    if (level > depth) throw new ApiError(`${name} is nested too deeply`)
    if (count > fields) throw new ApiError(`${name} must not have more than ${fields} fields`)
  }
}

const quote = 34
const backslash = 92
const colon = 58
const openBracket = 91
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === backslash) at++
    else if (char === quote) return at
  }
  return text.length
}
