import { iconCount } from '@parley/client/messages/icon-count'
import { useEffect } from 'react'
import { useSlices } from '../session/context.tsx'

interface Badged {
  setAppBadge?(count: number): Promise<void>
}

/** Shows the number of unread messages in the title of the window and on the icon of the installed app. */
export function useWindowTitle(title: string): void {
  const store = useSlices('preferences', 'realm', 'topics', 'unread')
  const count = iconCount(store)
  const name = String(store.realm.settings.name ?? 'Parley')
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title.charAt(0).toUpperCase()}${title.slice(1)} · ${name}`
  }, [title, count, name])
  useEffect(() => {
    // Zero removes it. Refused if the app is not installed.
    ;(navigator as Badged).setAppBadge?.(count).catch(() => {})
  }, [count])
}
