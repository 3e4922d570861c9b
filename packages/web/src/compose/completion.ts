import type { Store } from '@parley/client/store'

export interface Suggestion {
  label: string
  detail: string
  /** What replaces the typed beginning. */
  text: string
}

const limit = 8

/** What could complete the text before the cursor, and how much of it would be replaced. */
export function suggest(store: Store, before: string): { length: number; suggestions: Suggestion[] } | undefined {
  const command = /^\/(\w*)$/.exec(before)
  if (command) return offered(before.length, commands(command[1]!))
  const found = /(?:^|[\s(])(@_?|#|:)([^\s@#:][^@#:\n]{0,40}|)$/.exec(before)
  if (!found) return undefined
  const [, sign, typed] = found as unknown as [string, string, string]
  if (sign === ':' && typed.length < 2) return undefined
  const suggestions = sign === '#' ? channels(store, typed) : sign.startsWith('@') ? people(store, typed, sign) : []
  return offered(sign.length + typed.length, suggestions)
}

function offered(length: number, suggestions: Suggestion[]) {
  return suggestions.length === 0 ? undefined : { length, suggestions }
}

const slashCommands: Suggestion[] = [
  { label: '/poll', detail: 'Ask a question; one option per line', text: '/poll ' },
  { label: '/todo', detail: 'A shared list; one task per line', text: '/todo ' },
  { label: '/me', detail: 'Say what you are doing', text: '/me ' },
]

function commands(typed: string): Suggestion[] {
  return slashCommands.filter(({ label }) => label.startsWith(`/${typed}`))
}

function people(store: Store, typed: string, sign: string): Suggestion[] {
  const mark = sign === '@_' ? '@_' : '@'
  const users = [...store.users.byId.values()]
    .filter(({ is_active, full_name }) => is_active && isMatch(full_name, typed))
    .sort((a, b) => a.full_name.localeCompare(b.full_name))
    .map(({ full_name, user_id, email }) => ({
      label: full_name,
      detail: email,
      text: `${mark}**${full_name}|${user_id}** `,
    }))
  const groups = [...store.groups.byId.values()]
    .filter(({ name, is_system_group }) => !is_system_group && isMatch(name, typed))
    .map(({ name, description }) => ({ label: name, detail: description, text: `${mark}*${name}* ` }))
  const everyone = ['all', 'topic']
    .filter((name) => sign === '@' && name.startsWith(typed.toLowerCase()))
    .map((name) => ({
      label: name,
      detail: name === 'all' ? 'Notify everyone in this channel' : 'Notify everyone in this topic',
      text: `@**${name}** `,
    }))
  return [...users, ...groups, ...everyone].slice(0, limit)
}

function channels(store: Store, typed: string): Suggestion[] {
  return [...store.channels.subscribed.values(), ...store.channels.neverSubscribed.values()]
    .filter(({ name }) => isMatch(name, typed))
    .slice(0, limit)
    .map(({ name, description }) => ({ label: name, detail: description, text: `#**${name}** ` }))
}

/** Whether each typed word begins a word of the name. */
export function isMatch(name: string, typed: string): boolean {
  const words = name.toLowerCase().split(/[\s_-]+/)
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((part) => words.some((word) => word.startsWith(part)) || name.toLowerCase().startsWith(typed.toLowerCase()))
}
