import type { MessageWindow } from '@parley/client/messages/window'
import { type RefObject, useEffect } from 'react'
import type { VListHandle } from 'virtua'
import { changeFlag } from '../messages/actions.ts'
import { useChanges, useSession } from '../session/context.tsx'

const delay = 500

/** Marks messages as read once they were visible for a moment in a focused window. */
export function useReadMarks(list: RefObject<VListHandle | null>, shown: MessageWindow): void {
  const session = useSession()
  const version = useChanges()
  useEffect(() => {
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
  }, [session, list, shown, version])
}
