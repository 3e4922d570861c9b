import { useEffect, useState } from 'react'
import { useChanges, useSession } from '../session/context.tsx'
import { type ListedTopic, loadTopics } from './topics.ts'

/** The topics of a channel, kept up to date while they are shown. Undefined until they are loaded. */
export function useTopics(channelId: number): ListedTopic[] | undefined {
  const session = useSession()
  const version = useChanges()
  const [topics, setTopics] = useState<ListedTopic[]>()
  useEffect(() => {
    let isStale = false
    loadTopics(session, channelId)
      .then((found) => isStale || setTopics(found))
      .catch(() => {})
    return () => {
      isStale = true
    }
  }, [session, channelId, version])
  return topics
}
