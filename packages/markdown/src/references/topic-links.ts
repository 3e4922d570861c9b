import type { Linkifier } from '../context.ts'
import { findUrl, mayContainUrl } from '../inline/autolinks.ts'
import { hasSafeScheme } from '../inline/urls.ts'
import { matchLinkifier } from './linkifier-patterns.ts'

/** A link that clients show next to a topic. */
export interface TopicLink {
  text: string
  url: string
}

interface Found extends TopicLink {
  start: number
}

/** The links in a topic: linkifiers first, then URLs, in the order of the text. */
export function topicLinks(topic: string, linkifiers: readonly Linkifier[] = []): TopicLink[] {
  const found = [...linkifiers.flatMap((linkifier) => matchLinkifier(topic, linkifier)), ...addresses(topic)].filter(
    ({ url }) => hasSafeScheme(url),
  )
  const chosen: Found[] = []
  // Earlier linkifiers take precedence over later ones, and all of them over bare URLs.
  for (const link of found) if (!chosen.some((other) => overlaps(link, other))) chosen.push(link)
  return chosen.sort((a, b) => a.start - b.start).map(({ text, url }) => ({ text, url }))
}

function addresses(topic: string): Found[] {
  if (!mayContainUrl(topic)) return []
  return Array.from(topic.matchAll(/[^ !;),'"]+/g)).flatMap(({ 0: part, index }) => {
    const found = findUrl(part)
    return found ? [{ start: index + found.start, text: found.url, url: withScheme(found.url) }] : []
  })
}

function withScheme(url: string): string {
  return /^[a-z][a-z\d+.-]*:/i.test(url) ? url : `https://${url}`
}

function overlaps(a: Found, b: Found): boolean {
  return a.start < b.start + b.text.length && b.start < a.start + a.text.length
}
