import { RE2JS } from '#decoration'
import type { Linkifier } from '../context.ts'
import { expandTemplate } from './uri-template.ts'

/** A match of a linkifier. */
export interface LinkifierMatch {
  start: number
  end: number
  text: string
  url: string
}

type Matcher = ReturnType<RE2JS['matcher']>

const whole = 'linkifier_match'
const cache = new Map<string, RE2JS | undefined>()
const maxCached = 2000

/** All matches of the linkifier in the text. */
export function matchLinkifier(text: string, { pattern, url_template }: Linkifier): LinkifierMatch[] {
  const matches: LinkifierMatch[] = []
  const regex = compiled(pattern)
  const matcher = regex?.matcher(text)
  // The character after a match may be the required character before the next one.
  for (let from = 0; regex && matcher?.find(from); from = matcher.end(whole)) {
    const start = matcher.start(whole)
    const end = matcher.end(whole)
    if (end <= start) break
    matches.push({
      start,
      end,
      text: text.slice(start, end),
      url: expandTemplate(url_template, groups(regex, matcher)),
    })
  }
  return matches
}

function groups(regex: RE2JS, matcher: Matcher): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(regex.namedGroups()).map((name) => [name, matcher.group(name) ?? undefined]))
}

/** The pattern with the required surroundings; undefined if it is invalid. */
function compiled(pattern: string): RE2JS | undefined {
  if (cache.has(pattern)) return cache.get(pattern)
  if (cache.size >= maxCached) cache.clear()
  const regex = compile(pattern)
  cache.set(pattern, regex)
  return regex
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(`(?:^|\\s|\\x{85}|\\pZ|['"(,:<])(?P<${whole}>${pattern})(?:$|[^\\pL\\pN])`)
  } catch {
    return undefined
  }
}

/** The named groups of a pattern, or undefined if it is invalid. */
export function patternVariables(pattern: string): string[] | undefined {
  try {
    RE2JS.compile(pattern) // by itself: parentheses must not match those around it
  } catch {
    return undefined
  }
  const regex = compile(pattern)
  return regex && Object.keys(regex.namedGroups()).filter((name) => name !== whole)
}
