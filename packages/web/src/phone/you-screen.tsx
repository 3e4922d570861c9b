import { Suspense, useState } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { roleNameOf } from '../people/person-card.tsx'
import { nameOf, statusText } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { signOut } from '../session/sign-out.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Screen } from '../ui/screen.tsx'
import './phone.css'

const StatusDialog = lazyPart(() => import('../people/status-dialog.tsx').then((one) => one.StatusDialog))

/** The viewer's own things: what they keep, what they write later, and how the client behaves. */
export function YouScreen() {
  const store = useStore()
  const session = useSession()
  const { viewerId } = session
  const organization = String(store.realm.settings.name ?? '')
  const own = store.users.byId.get(viewerId)
  const [isSettingStatus, setSettingStatus] = useState(false)
  return (
    <Screen title={t('nav.you')}>
      <div className="phone-list you">
        <div className="you-card">
          <PresentAvatar userId={viewerId} size="" />
          <div>
            <h2>{nameOf(store, viewerId)}</h2>
            <p>{[organization, own && roleNameOf(own.role)].filter(Boolean).join(', ')}</p>
          </div>
        </div>
        <nav aria-label={t('nav.you')}>
          <div className="you-list">
            <button type="button" className="you-row" onClick={() => setSettingStatus(true)}>
              <Icon name="face-slightly-smiling" />
              <span>{t('status.title')}</span>
              <span className="end" dir="auto">
                {statusText(store, viewerId)}
              </span>
              <Icon name="chevron-right" size="s" />
            </button>
          </div>
          <div className="you-list">
            <Line href="#drafts" icon="pencil-line" label={t('nav.drafts')} end={counted(store.drafts.byId.size)} />
            <Line
              href="#scheduled"
              icon="rotate-ccw-clock"
              label={t('nav.scheduled')}
              end={counted(store.scheduled.byId.size + store.reminders.byId.size)}
            />
            <Line
              href="#narrow/is/starred"
              icon="star"
              label={t('nav.starred')}
              end={counted(store.starred.ids.length)}
            />
            <Line
              href="#narrow/is/mentioned"
              icon="at-sign"
              label={t('nav.mentions')}
              end={counted(store.unread.mentions.size)}
            />
            <Line href="#recent" icon="clock" label={t('recent.title')} />
            <Line href="#feed" icon="messages" label={t('nav.feed')} />
          </div>
          <div className="you-list">
            <Line href="#settings/appearance" icon="sun-moon" label={t('appearance.title')} />
            <Line href="#settings/notifications" icon="bell" label={t('notices.pageTitle')} />
            <Line href="#settings" icon="settings" label={t('nav.settings')} />
            <Line href="/help" icon="circle-question-mark" label={t('me.help')} isElsewhere />
          </div>
        </nav>
        <div className="you-list">
          <button type="button" className="you-row" onClick={() => void signOut(session)}>
            <Icon name="log-out" />
            <span>{t('account.signOut')}</span>
          </button>
        </div>
        {isSettingStatus && (
          <Suspense>
            <StatusDialog onClose={() => setSettingStatus(false)} />
          </Suspense>
        )}
      </div>
    </Screen>
  )
}

function counted(count: number): string {
  return count > 0 ? String(count) : ''
}

interface LineProps {
  href: string
  icon: IconName
  label: string
  end?: string
  /** In another tab. */
  isElsewhere?: boolean
}

function Line({ href, icon, label, end = '', isElsewhere = false }: LineProps) {
  return (
    <a className="you-row" href={href} {...(isElsewhere && { target: '_blank', rel: 'noopener' })}>
      <Icon name={icon} />
      <span>{label}</span>
      <span className="end" dir="auto">
        {end}
      </span>
      <Icon name="chevron-right" size="s" />
    </a>
  )
}
