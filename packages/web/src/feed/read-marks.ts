import { topicOf, usersOf } from '@parley/client/messages/narrow'
import type { MessageWindow } from '@parley/client/messages/window'
import { type RefObject, useEffect } from 'react'
import type { VListHandle } from 'virtua'
import { changeFlag } from '../messages/actions.ts'
import { useSession } from '../session/context.tsx'

const delay = 500

const policies = { always: 1, inConversations: 2, never: 3 } as const

/** Whether the viewer wants messages to become read by scrolling. */
export function marksByScrolling(policy: unknown, isConversation: boolean): boolean {
  if (policy === policies.never) return false
  return policy !== policies.inConversations || isConversation
}

/** How many rows can have been read: all whose end is visible, and one that fills half of the view. */
function seenRows(list: VListHandle): number {
  const { scrollOffset, viewportSize } = list
  const bottom = scrollOffset + viewportSize
  const last = list.findItemIndex(bottom - 8)
  const top = list.getItemOffset(last)
  const isSeen = top + list.getItemSize(last) <= bottom + 8 || bottom - top >= viewportSize / 2
  return isSeen ? last + 1 : last
}

/** Marks messages as read once they were visible for a moment in a focused window. */
export function useReadMarks(list: RefObject<VListHandle | null>, shown: MessageWindow, isWanted: boolean): void {
  const session = useSession()
  const policy = session.store!.preferences.get('web_mark_read_on_scroll_policy')
  const isConversation = (topicOf(shown.narrow) ?? usersOf(shown.narrow)) !== undefined
  const isOn = isWanted && marksByScrolling(policy, isConversation)
  useEffect(() => {
    if (!isOn) return
    let visible = new Set<number>()
    // Each only once, so that those which the user marks as unread stay unread.
    const marked = new Set<number>()
    const mark = () => {
      if (document.hidden || !list.current) return
      const unread = shown.ids.slice(0, seenRows(list.current)).filter((id) => {
        const message = session.messages.byId.get(id)
        return message && !message.local_id && !marked.has(id) && !message.flags.includes('read')
      })
      const ids = unread.filter((id) => visible.has(id))
      visible = new Set(unread)
      for (const id of ids) marked.add(id)
      if (ids.length > 0) changeFlag(session, 'add', 'read', ids).catch(() => {})
    }
    const timer = setInterval(mark, delay)
    return () => clearInterval(timer)
  }, [session, list, shown, isOn])
}
