import { narrows } from '@parley/client/narrow'
import type { Store } from '@parley/client/store'
import { insertText } from '../compose/editing.ts'
import { dateLocale, type PlainId, t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { setMuted } from './actions.ts'
import { PresentAvatar } from './avatar.tsx'
import { isOnline, nameOf, statusText } from './presence.ts'

const roleNames: Record<number, PlainId> = {
  100: 'role.owner',
  200: 'role.administrator',
  300: 'role.moderator',
  400: 'role.member',
  600: 'role.guest',
}

const administrator = 200

/** What is known about a person, and what can be done with them. */
export function PersonCard({ userId, onClose }: { userId: number; onClose: () => void }) {
  const session = useSession()
  const store = useStore()
  const isOwn = userId === session.viewerId
  const isMuted = store.mutedUsers.has(userId)
  const roleOf = (id: number) => store.users.byId.get(id)?.role ?? Infinity
  const isManaged = roleOf(session.viewerId) <= administrator && store.users.byId.get(userId)?.is_bot === false
  const name = nameOf(store, userId)
  const run = (action: () => void) => () => {
    onClose()
    action()
  }
  const message = run(() => goTo(narrowHash(narrows.direct([userId]), store)))
  const mention = run(() => {
    const area = document.getElementById('composer')
    if (area instanceof HTMLTextAreaElement) insertText(area, `@**${name}|${userId}** `)
  })
  return (
    <Dialog title={name} onClose={onClose} look="person-card">
      <div className="person-head">
        <PresentAvatar userId={userId} size="" />
        <p>{statusLine(store, userId)}</p>
      </div>
      <dl className="facts">
        {factsOf(store, userId).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="form-end">
        <Button look="outline" icon="message-circle" onClick={message}>
          {t('people.message')}
        </Button>
        {document.getElementById('composer') && (
          <Button look="outline" icon="at-sign" onClick={mention}>
            {t('people.mention')}
          </Button>
        )}
        {isManaged && (
          <Button look="outline" icon="settings" onClick={run(() => goTo(`#organization/members/${userId}`))}>
            {t('people.manage')}
          </Button>
        )}
        {!isOwn && (
          <Button
            look="outline"
            icon={isMuted ? 'eye' : 'eye-off'}
            onClick={run(() => setMuted(session, userId, !isMuted))}
          >
            {isMuted ? t('people.unmute') : t('people.mute')}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

function statusLine(store: Store, userId: number): string {
  return [presenceLine(store, userId), statusText(store, userId)].filter(Boolean).join(' · ')
}

function presenceLine(store: Store, userId: number): string {
  if (store.users.byId.get(userId)?.is_bot) return t('people.bot')
  if (isOnline(store, userId)) return t('people.active')
  const { presences = {} } = store.presence.snapshot() as { presences?: Record<string, { active_timestamp?: number }> }
  const seen = presences[userId]?.active_timestamp
  return seen ? t('people.lastActive', { time: shortTime(seen) }) : t('people.offline')
}

/** Role, email, local time and profile fields, as far as they are known. */
export function factsOf(store: Store, userId: number): [label: string, value: string][] {
  const user = store.users.byId.get(userId)
  if (!user) return []
  const fields = store.settings.custom_profile_fields as { id: number; name: string }[] | undefined
  const profile = (fields ?? []).map(({ id, name }): [string, string] => [name, user.profile_data?.[id]?.value ?? ''])
  const facts: [string, string][] = [
    [t('people.role'), roleText(user)],
    [t('people.email'), user.delivery_email ?? user.email],
    [t('people.localTime'), localTime(user.timezone)],
    ...profile,
  ]
  return facts.filter(([, value]) => value !== '')
}

function roleText({ role, is_active }: { role: number; is_active: boolean }): string {
  if (!is_active) return t('people.deactivated')
  const name = roleNames[role]
  return name ? t(name) : ''
}

function localTime(timeZone: string): string {
  if (timeZone === '') return ''
  try {
    return new Intl.DateTimeFormat(dateLocale(), { timeStyle: 'short', timeZone }).format(new Date())
  } catch {
    return ''
  }
}
