import type { Destination } from '@parley/client/session/outbox'
import { useMemo, useState } from 'react'
import { loadTopics } from '../../channels/topics.ts'
import { allEmoji, type EmojiEntry, loadStandardEmoji } from '../../messages/emoji-list.ts'
import { useSession, useStore } from '../../session/context.tsx'
import { writersOf } from '../../session/writers.ts'
import { narrowOf } from '../drafts/draft-model.ts'
import { commandsFor } from './commands.ts'
import type { Sources } from './completion.ts'

/** What completion offers. Renders again when something that it needed was loaded. */
export function useSources(destination?: Destination): Sources {
  const session = useSession()
  const store = useStore()
  const [, setLoaded] = useState(0)
  const loaded = () => setLoaded((count) => count + 1)
  const cache = useMemo(() => {
    const topics = new Map<number, readonly string[]>()
    let emoji: readonly EmojiEntry[] | undefined
    const loaded = () => setLoaded((count) => count + 1)
    return {
      emoji: () => {
        if (!emoji) {
          emoji = []
          loadStandardEmoji(String(store.settings.server_emoji_data_url))
            .then((standard) => (emoji = allEmoji(standard, store)))
            .then(loaded, () => (emoji = undefined))
        }
        return emoji
      },
      topics: (id: number) => {
        if (!topics.has(id)) {
          topics.set(id, [])
          loadTopics(session, id)
            .then((found) =>
              topics.set(
                id,
                found.map(({ name }) => name),
              ),
            )
            .then(loaded, () => topics.delete(id))
        }
        return topics.get(id)!
      },
    }
  }, [session, store])
  return {
    store,
    participants: () =>
      destination ? writersOf(session, narrowOf(destination)).filter((id) => id !== session.viewerId) : [],
    ...cache,
    commands: () => commandsFor(session, destination, loaded),
  }
}
