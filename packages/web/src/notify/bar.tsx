import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { askPermission, usePermission } from './permission.ts'

const dismissedKey = 'parley.notifications.dismissed'

/** Offers desktop notifications once. Browsers must be asked by a click. */
export function NotificationBar() {
  const permission = usePermission()
  const store = useSlices('preferences')
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(dismissedKey) !== null)
  const isWanted = store.preferences.get('enable_desktop_notifications') === true
  if (permission !== 'default' || isDismissed || !isWanted) return null
  const dismiss = () => {
    localStorage.setItem(dismissedKey, 'yes')
    setDismissed(true)
  }
  return (
    <section className="notify-bar" aria-label={t('notify.bar')}>
      <Icon name="bell" size="s" />
      <span>{t('notify.bar.question')}</span>
      <Button look="outline" onClick={() => void askPermission()}>
        {t('notify.bar.on')}
      </Button>
      <IconButton label={t('notify.bar.later')} icon="x" look="tiny" onClick={dismiss} />
    </section>
  )
}
