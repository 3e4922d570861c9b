import type { MessageWindow } from '@parley/client/messages/window'
import { topicOf, usersOf } from '@parley/client/narrow'
import { type RefObject, useEffect } from 'react'
import type { VListHandle } from 'virtua'
import { changeFlag } from '../messages/actions.ts'
import { useChanges, useSession } from '../session/context.tsx'

const delay = 500

const policies = { always: 1, inConversations: 2, never: 3 } as const

/** Whether the viewer wants messages to become read by scrolling. */
export function marksByScrolling(policy: unknown, isConversation: boolean): boolean {
  if (policy === policies.never) return false
  return policy !== policies.inConversations || isConversation
}

/** Marks messages as read once they were visible for a moment in a focused window. */
export function useReadMarks(list: RefObject<VListHandle | null>, shown: MessageWindow): void {
  const session = useSession()
  const version = useChanges()
  const policy = session.store!.preferences.get('web_mark_read_on_scroll_policy')
  const isConversation = (topicOf(shown.narrow) ?? usersOf(shown.narrow)) !== undefined
  const isOn = marksByScrolling(policy, isConversation)
  useEffect(() => {
    if (!isOn) return
    const mark = () => {
      if (document.hidden || !list.current) return
      const { scrollOffset, viewportSize } = list.current
      const last = list.current.findItemIndex(scrollOffset + viewportSize - 8)
      const ids = shown.ids.slice(0, last + 1).filter((id) => {
        const message = session.messages.byId.get(id)
        return message && !message.local_id && !message.flags.includes('read')
      })
      if (ids.length > 0) changeFlag(session, 'add', 'read', ids).catch(() => {})
    }
    const timer = setTimeout(mark, delay)
    return () => clearTimeout(timer)
  }, [session, list, shown, version, isOn])
}
