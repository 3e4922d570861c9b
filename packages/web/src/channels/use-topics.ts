import { useEffect, useState } from 'react'
import { useChanges, useSession } from '../session/context.tsx'
import { type ListedTopic, loadTopics, topicsDue } from './topics.ts'

/** The topics of a channel, kept up to date while they are shown. Undefined until they are loaded. */
export function useTopics(channelId: number): ListedTopic[] | undefined {
  const session = useSession()
  const version = useChanges()
  const [topics, setTopics] = useState<ListedTopic[]>()
  useEffect(() => {
    let isStale = false
    const load = () =>
      loadTopics(session, channelId)
        .then((found) => isStale || setTopics(found))
        .catch(() => {})
    void load()
    const due = topicsDue(session, channelId)
    const timer = Number.isFinite(due) && due > 0 ? setTimeout(() => void load(), due) : undefined
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [session, channelId, version])
  return topics
}
