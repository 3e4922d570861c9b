import { lookup } from '@parley/api/lookup'
import { roles } from '@parley/api/roles'
import { t } from '../platform/i18n.ts'

const hour = 3600
const day = 24 * hour

export const limitChoices = [
  [600, 'duration.minutes10'],
  [hour, 'duration.hour1'],
  [day, 'duration.day1'],
  [7 * day, 'duration.week1'],
  [null, 'duration.any'],
] as const

/** The API has a word for "no limit". */
export const limitValue = (seconds: number | null) => seconds ?? 'unlimited'

export const retentionChoices = [
  [-1, 'duration.forever'],
  [30, 'duration.days30'],
  [90, 'duration.days90'],
  [365, 'duration.year1'],
  [1825, 'duration.years5'],
] as const

export const retentionValue = (days: number) => (days === -1 ? 'unlimited' : days)

export const roleNames = [
  [roles.owner, 'role.owner'],
  [roles.admin, 'role.administrator'],
  [roles.moderator, 'role.moderator'],
  [roles.member, 'role.member'],
  [roles.guest, 'role.guest'],
] as const

export const roleName = (role: number) => t(roleNames.find(([one]) => one === role)?.[1] ?? 'role.unknown')

/** Nobody can give more than they have: only owners make owners. */
export function rolesFor(viewerRole: number) {
  return roleNames.filter(([role]) => role > roles.owner || viewerRole === roles.owner)
}

/** Whether the viewer may manage an account: administrators everyone, but owners only other owners. */
export function mayManage(viewerRole: number, role: number): boolean {
  return viewerRole <= roles.admin && (role > roles.owner || viewerRole === roles.owner)
}

/** Emails from a text with commas, spaces or lines between them, each once. */
export function emailsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
}

export type LinkifierTest = { matches: { text: string; url: string }[] } | { problem: string }

/** What a linkifier would do with a text. Patterns are RE2; only what JavaScript understands too can be tried here. */
export function tryLinkifier(pattern: string, template: string, text: string): LinkifierTest {
  try {
    // Not linear: an administrator's own pattern on their own text, in their own browser.
    const expression = new RegExp(pattern.replaceAll('(?P<', '(?<'), 'gu')
    const found = [...text.matchAll(expression)].filter(([whole]) => whole !== '').slice(0, 20)
    return { matches: found.map((match) => ({ text: match[0], url: expand(template, match.groups ?? {}) })) }
  } catch {
    return { problem: t('linkifiers.invalid') }
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
