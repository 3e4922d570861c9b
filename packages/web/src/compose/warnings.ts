import type { Destination } from '@parley/client/session/outbox'
import type { Store } from '@parley/client/store/store'

/** What the sender may not be aware of. Nothing of it prevents sending. */
export type Warning =
  | { kind: 'wildcard'; count: number }
  | { kind: 'open' }
  | { kind: 'muted' }
  | { kind: 'resolved' }
  | { kind: 'not subscribed'; userIds: number[] }

/** From this many people on, notifying all of them deserves a second thought. */
const manyPeople = 15
const wildcards = new Set(['all', 'everyone', 'channel', 'stream'])

export interface Mentions {
  names: string[]
  userIds: number[]
  hasWildcard: boolean
}

/** The users that a text notifies. Code and silent mentions notify nobody. */
export function mentionsIn(text: string, users: Store['users']): Mentions {
  const spoken = withoutFences(text).replace(/`[^`\n]*`/g, '')
  const names = [...spoken.matchAll(/@\*\*([^*\n]+)\*\*/g)].map(([, name]) => name!)
  const ids = names.filter((name) => !wildcards.has(name)).map((name) => userIdOf(name, users))
  return {
    names,
    userIds: [...new Set(ids.filter((id) => id !== undefined))],
    hasWildcard: names.some((name) => wildcards.has(name)),
  }
}

function withoutFences(text: string): string {
  let fence: string | undefined
  const kept = text.split('\n').filter((line) => {
    const isInside = fence !== undefined
    if (fence === undefined) fence = /^(?:`{3,}|~{3,})/.exec(line)?.[0]
    else if (line.startsWith(fence)) fence = undefined
    return !isInside && fence === undefined
  })
  return kept.join('\n')
}

function userIdOf(name: string, { byId }: Store['users']): number | undefined {
  const id = /\|(\d+)$/.exec(name)?.[1]
  if (id) return byId.has(Number(id)) ? Number(id) : undefined
  return [...byId.values()].find(({ full_name }) => full_name === name)?.user_id
}

interface Known {
  store: Pick<Store, 'users' | 'topics'>
  /** Of the channel, if they are known. */
  subscribers: readonly number[] | undefined
  /** Everyone on the web can read the channel. */
  isOpen?: boolean
}

export function warningsOf(
  text: string,
  destination: Destination,
  { store, subscribers, isOpen = false }: Known,
): Warning[] {
  if (!('stream_id' in destination) || text.trim() === '') return []
  const { stream_id, topic } = destination
  const { userIds, hasWildcard } = mentionsIn(text, store.users)
  const missing = subscribers ? userIds.filter((id) => !subscribers.includes(id)) : []
  const count = subscribers?.length ?? 0
  return [
    isOpen && { kind: 'open' as const },
    topic.startsWith('✔ ') && { kind: 'resolved' as const },
    store.topics.isMuted(stream_id, topic) && { kind: 'muted' as const },
    hasWildcard && count > manyPeople && { kind: 'wildcard' as const, count },
    missing.length > 0 && { kind: 'not subscribed' as const, userIds: missing },
  ].filter((one) => one !== false)
}
