import { lookup } from '@parley/api/lookup'

const hour = 3600
const day = 24 * hour

export const limitChoices = [
  [600, '10 minutes'],
  [hour, '1 hour'],
  [day, '1 day'],
  [7 * day, '1 week'],
  [null, 'Any time'],
] as const

/** The API has a word for "no limit". */
export const limitValue = (seconds: number | null) => seconds ?? 'unlimited'

export const retentionChoices = [
  [-1, 'Forever'],
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
  [1825, '5 years'],
] as const

export const retentionValue = (days: number) => (days === -1 ? 'unlimited' : days)

export const roleNames = [
  [100, 'Owner'],
  [200, 'Administrator'],
  [300, 'Moderator'],
  [400, 'Member'],
  [600, 'Guest'],
] as const

export const roleName = (role: number) => roleNames.find(([one]) => one === role)?.[1] ?? 'Unknown role'

/** Nobody can give more than they have: only owners make owners. */
export function rolesFor(viewerRole: number) {
  return roleNames.filter(([role]) => role > 100 || viewerRole === 100)
}

/** Whether the viewer may manage an account: administrators everyone, but owners only other owners. */
export function mayManage(viewerRole: number, role: number): boolean {
  return viewerRole <= 200 && (role > 100 || viewerRole === 100)
}

/** Emails from a text with commas, spaces or lines between them, each once. */
export function emailsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
}

export type LinkifierTest = { matches: { text: string; url: string }[] } | { problem: string }

/** What a linkifier would do with a text. Patterns are RE2; only what JavaScript understands too can be tried here. */
export function tryLinkifier(pattern: string, template: string, text: string): LinkifierTest {
  try {
    const expression = new RegExp(pattern.replaceAll('(?P<', '(?<'), 'gu')
    const found = [...text.matchAll(expression)].filter(([whole]) => whole !== '').slice(0, 20)
    return { matches: found.map((match) => ({ text: match[0], url: expand(template, match.groups ?? {}) })) }
  } catch {
    return { problem: 'This pattern is not valid.' }
  }
}

function expand(template: string, groups: Record<string, string | undefined>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(lookup(groups, name) ?? ''))
}

/** A list with one element moved up. */
export function movedUp<T>(list: readonly T[], index: number): T[] {
  const next = [...list]
  const [moved] = next.splice(index, 1)
  next.splice(index - 1, 0, moved!)
  return next
}

/** The data of a dropdown field, from one option a line. */
export function dropdownData(text: string): Record<string, { text: string; order: string }> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  return Object.fromEntries(lines.map((line, index) => [String(index), { text: line, order: String(index + 1) }]))
}
