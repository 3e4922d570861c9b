import { useEffect } from 'react'
import { useSession } from '../session/context.tsx'

/** Loads the newest messages of conversations, which their rows show. */
export function useLatestMessages(ids: readonly number[]): void {
  const session = useSession()
  const key = ids.filter((id) => !session.messages.byId.has(id)).join()
  useEffect(() => {
    if (key === '') return
    session.client
      .call('getMessages', {
        message_ids: key.split(',').map(Number).slice(0, 200),
        allow_empty_topic_name: true,
        client_gravatar: true,
      } as never)
      .then(({ messages }) => session.addMessages(messages))
      .catch(() => {})
  }, [key, session])
}
