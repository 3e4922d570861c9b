import { type PlainId, t } from '../platform/i18n.ts'
import type { IconName } from '../ui/icons.generated.ts'
import type { FlagName } from './use-settings.ts'

/** What contains all words of the query, those that start with it first. */
export function matching<O extends { label: string; detail?: string }>(options: readonly O[], query: string): O[] {
  const words = plain(query).trim().split(/\s+/).filter(Boolean)
  const found = options.filter(({ label, detail = '' }) => {
    const text = plain(`${label} ${detail}`)
    return words.every((word) => text.includes(word))
  })
  const start = words.join(' ')
  const isFirst = ({ label }: O) => Number(plain(label).startsWith(start))
  return found.sort((a, b) => isFirst(b) - isFirst(a))
}

/** Accents are often not typed: `cle` finds `clé`. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

export interface PageEntry {
  /** Such as `#settings/profile`. */
  hash: string
  title: PlainId
  icon: IconName
  /** The names of its settings, for the search. */
  finds: PlainId
  /** The least powerful role that sees it; roles are smaller the more they may do. */
  leastRole?: number
}

/** The pages that a viewer sees and that match the query. */
export function visiblePages<P extends PageEntry>(pages: readonly P[], role: number, query: string): P[] {
  const allowed = pages.filter(({ leastRole = Infinity }) => role <= leastRole)
  const options = allowed.map((page) => ({ label: t(page.title), detail: t(page.finds), page }))
  return query.trim() === '' ? allowed : matching(options, query).map(({ page }) => page)
}

export const channelsOfNotice = ['notices.desktop', 'notices.sound', 'notices.phone', 'people.email'] as const

const ways = ['desktop', 'audible', 'push', 'email'] as const

/** The settings of the notification matrix, in the order of its columns. */
export const noticeRows: { label: PlainId; detail: PlainId; settings: readonly FlagName[] }[] = [
  {
    label: 'notices.personal',
    detail: 'notices.personal.text',
    settings: [
      'enable_desktop_notifications',
      'enable_sounds',
      'enable_offline_push_notifications',
      'enable_offline_email_notifications',
    ],
  },
  {
    label: 'notices.followed',
    detail: 'notices.followed.text',
    settings: ways.map((way) => `enable_followed_topic_${way}_notifications` as const),
  },
  {
    label: 'notices.channels',
    detail: 'notices.channels.text',
    settings: ways.map((way) => `enable_stream_${way}_notifications` as const),
  },
]

export const scopeTexts: readonly (readonly [scope: string, label: PlainId, detail: PlainId])[] = [
  ['read', 'scope.read', 'scope.read.text'],
  ['send', 'scope.send', 'scope.send.text'],
  ['organize', 'scope.organize', 'scope.organize.text'],
  ['account', 'scope.account', 'scope.account.text'],
  ['administer', 'scope.administer', 'scope.administer.text'],
]

const day = 86_400
export const expiryChoices = [
  [30 * day, 'expiry.days30'],
  [90 * day, 'expiry.days90'],
  [365 * day, 'expiry.year'],
  [null, 'common.never'],
] as const

/** What is wrong with a new password, before the server is asked. */
export function passwordProblem(password: string, repeated: string, least: number): string | undefined {
  if (password.length < least) return t('password.tooShort', { count: least })
  return password === repeated ? undefined : t('password.different')
}

/** The options of a dropdown field, in order; its data is JSON with a text and an order for each key. */
export function dropdownOptions(fieldData: string): [key: string, text: string][] {
  const options = Object.entries(parseFieldData(fieldData)) as [string, { text: string; order: string }][]
  return options.sort(([, a], [, b]) => Number(a.order) - Number(b.order)).map(([key, { text }]) => [key, text])
}

export function parseFieldData(fieldData: string): Record<string, unknown> {
  try {
    return JSON.parse(fieldData || '{}')
  } catch {
    return {}
  }
}
