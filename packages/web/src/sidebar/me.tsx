import { Suspense, useState } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { openHelp, otherTheme, switchTheme } from '../people/own-actions.ts'
import { statusText } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { signOut } from '../session/sign-out.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, type MenuItems } from '../ui/menu.tsx'

const StatusDialog = lazyPart(() => import('../people/status-dialog.tsx').then((one) => one.StatusDialog))

/** The viewer's name, with a menu of what is their own. */
export function Me() {
  const session = useSession()
  const store = useSlices('statuses', 'users')
  const [isSettingStatus, setSettingStatus] = useState(false)
  const own = store.users.byId.get(session.viewerId)
  const items = (): MenuItems => [
    { label: t('status.set'), icon: 'face-slightly-smiling', onSelect: () => setSettingStatus(true) },
    { label: t('profile.title'), icon: 'circle-user-round', onSelect: () => goTo('#settings/profile') },
    { label: t('appearance.title'), icon: 'shapes', onSelect: () => goTo('#settings/appearance') },
    { label: otherTheme(), icon: 'sun-moon', onSelect: () => switchTheme(session) },
    { label: t('me.help'), icon: 'circle-question-mark', onSelect: openHelp },
    { label: t('account.signOut'), icon: 'log-out', onSelect: () => void signOut(session) },
  ]
  return (
    <div className="me">
      <Menu
        label={t('me.menu')}
        items={items}
        trigger={(props) => (
          <button type="button" className="me-name" {...props}>
            <PresentAvatar userId={session.viewerId} size="md" />
            <span className="who">
              <b>{own?.full_name}</b>
              <span dir="auto">{statusText(store, session.viewerId) || own?.email}</span>
            </span>
          </button>
        )}
      />
      <IconButton label={t('nav.settings')} icon="settings" onClick={() => goTo('#settings')} />
      {isSettingStatus && (
        <Suspense>
          <StatusDialog onClose={() => setSettingStatus(false)} />
        </Suspense>
      )}
    </div>
  )
}
