import { useState } from 'react'
import { useStore } from '../session/context.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { askPermission, usePermission } from './permission.ts'

const dismissedKey = 'parley.notifications.dismissed'

/** Offers desktop notifications once. Browsers must be asked by a click. */
export function NotificationBar() {
  const permission = usePermission()
  const store = useStore()
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(dismissedKey) !== null)
  const isWanted = store.preferences.get('enable_desktop_notifications') === true
  if (permission !== 'default' || isDismissed || !isWanted) return null
  const dismiss = () => {
    localStorage.setItem(dismissedKey, 'yes')
    setDismissed(true)
  }
  return (
    <section className="notify-bar" aria-label="Desktop notifications">
      <Icon name="bell" size="s" />
      <span>Show a desktop notification when someone writes to you?</span>
      <Button look="outline" onClick={() => void askPermission()}>
        Turn on
      </Button>
      <IconButton label="Not now" icon="x" look="tiny" onClick={dismiss} />
    </section>
  )
}
