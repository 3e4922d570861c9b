import { useEffect, useState } from 'react'
import { useChanges, useSession } from '../session/context.tsx'
import { type ListedTopic, loadTopics, topicsDue } from './topics.ts'

interface LoadedTopics {
  /** Undefined until they are loaded. */
  topics: ListedTopic[] | undefined
  error: Error | undefined
  retry: () => void
}

/** The topics of a channel, kept up to date while they are shown. */
export function useTopics(channelId: number): LoadedTopics {
  const session = useSession()
  const version = useChanges()
  const [{ topics, error }, setLoaded] = useState<{ topics?: ListedTopic[]; error?: Error }>({})
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change, and each retry.
  useEffect(() => {
    let isStale = false
    const load = () =>
      loadTopics(session, channelId)
        .then((found) => isStale || setLoaded({ topics: found }))
        .catch((failed: Error) => isStale || setLoaded((now) => (now.topics ? now : { error: failed })))
    void load()
    const due = topicsDue(session, channelId)
    const timer = Number.isFinite(due) && due > 0 ? setTimeout(() => void load(), due) : undefined
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [session, channelId, version, round])
  return { topics, error, retry: () => setRound(round + 1) }
}
