import type { IconName } from '../ui/icon-shapes.ts'

/** What contains all words of the query, those that start with it first. */
export function matching<O extends { label: string; detail?: string }>(options: readonly O[], query: string): O[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const found = options.filter(({ label, detail = '' }) => {
    const text = `${label} ${detail}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const start = words.join(' ')
  const isFirst = ({ label }: O) => Number(label.toLowerCase().startsWith(start))
  return found.sort((a, b) => isFirst(b) - isFirst(a))
}

export interface PageEntry {
  /** Such as `#settings/profile`. */
  hash: string
  title: string
  icon: IconName
  /** The names of its settings, for the search. */
  finds: string
  /** The least powerful role that sees it; roles are smaller the more they may do. */
  leastRole?: number
}

/** The pages that a viewer sees and that match the query. */
export function visiblePages<P extends PageEntry>(pages: readonly P[], role: number, query: string): P[] {
  const allowed = pages.filter(({ leastRole = Infinity }) => role <= leastRole)
  const options = allowed.map((page) => ({ label: page.title, detail: page.finds, page }))
  return query.trim() === '' ? allowed : matching(options, query).map(({ page }) => page)
}

export const channelsOfNotice = ['Desktop', 'Sound', 'Phone', 'Email'] as const

/** The settings of the notification matrix, in the order of its columns. */
export const noticeRows: { label: string; detail: string; settings: readonly string[] }[] = [
  {
    label: 'Direct messages and mentions',
    detail: 'Someone writes to you by name',
    settings: [
      'enable_desktop_notifications',
      'enable_sounds',
      'enable_offline_push_notifications',
      'enable_offline_email_notifications',
    ],
  },
  {
    label: 'Topics you follow',
    detail: 'Including those you wrote in',
    settings: ['desktop', 'audible', 'push', 'email'].map((way) => `enable_followed_topic_${way}_notifications`),
  },
  {
    label: 'All other channel messages',
    detail: 'You can choose for each channel as well',
    settings: ['desktop', 'audible', 'push', 'email'].map((way) => `enable_stream_${way}_notifications`),
  },
]

export const scopeTexts: readonly (readonly [scope: string, label: string, detail: string])[] = [
  ['read', 'Read', 'Messages, channels and people you can see'],
  ['send', 'Send', 'Messages, drafts and files as you'],
  ['organize', 'Organize', 'Channels, subscriptions, groups and emoji'],
  ['account', 'Your account', 'Settings, status, flags and topics'],
  ['administer', 'Administer', 'What only administrators may do'],
]

const day = 86_400
export const expiryChoices = [
  [30 * day, 'In 30 days'],
  [90 * day, 'In 90 days'],
  [365 * day, 'In a year'],
  [null, 'Never'],
] as const

/** What is wrong with a new password, before the server is asked. */
export function passwordProblem(password: string, repeated: string, least: number): string | undefined {
  if (password.length < least) return `Use at least ${least} characters.`
  return password === repeated ? undefined : 'The two passwords are different.'
}

/** The options of a dropdown field, in order; its data is JSON with a text and an order for each key. */
export function dropdownOptions(fieldData: string): [key: string, text: string][] {
  const options = Object.entries(parseFieldData(fieldData)) as [string, { text: string; order: string }][]
  return options.sort(([, a], [, b]) => Number(a.order) - Number(b.order)).map(([key, { text }]) => [key, text])
}

export function parseFieldData(fieldData: string): Record<string, unknown> {
  try {
    return JSON.parse(fieldData || '{}') as Record<string, unknown>
  } catch {
    return {}
  }
}
