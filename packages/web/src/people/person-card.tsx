import { narrows } from '@parley/client/narrow'
import type { Store } from '@parley/client/store'
import { insertText } from '../compose/editing.ts'
import { glyphOf } from '../platform/emoji.ts'
import { goTo } from '../platform/routing.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { setMuted } from './actions.ts'
import { PresentAvatar } from './avatar.tsx'
import { isOnline, nameOf } from './presence.ts'

const roleNames: Record<number, string> = {
  100: 'Owner',
  200: 'Administrator',
  300: 'Moderator',
  400: 'Member',
  600: 'Guest',
}

/** What is known about a person, and what can be done with them. */
export function PersonCard({ userId, onClose }: { userId: number; onClose: () => void }) {
  const session = useSession()
  const store = useStore()
  const isOwn = userId === session.viewerId
  const isMuted = store.mutedUsers.has(userId)
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
          Message
        </Button>
        {document.getElementById('composer') && (
          <Button look="outline" icon="at-sign" onClick={mention}>
            Mention
          </Button>
        )}
        {!isOwn && (
          <Button
            look="outline"
            icon={isMuted ? 'eye' : 'eye-off'}
            onClick={run(() => setMuted(session, userId, !isMuted))}
          >
            {isMuted ? 'Unmute' : 'Mute'}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

function statusLine(store: Store, userId: number): string {
  const status = store.statuses.byUser.get(userId)
  const emoji = status?.emoji_code && status.reaction_type === 'unicode_emoji' ? `${glyphOf(status.emoji_code)} ` : ''
  const text = `${emoji}${status?.status_text ?? ''}`.trim()
  return [presenceLine(store, userId), text].filter(Boolean).join(' · ')
}

function presenceLine(store: Store, userId: number): string {
  if (store.users.byId.get(userId)?.is_bot) return 'Bot'
  if (isOnline(store, userId)) return 'Active now'
  const { presences = {} } = store.presence.snapshot() as { presences?: Record<string, { active_timestamp?: number }> }
  const seen = presences[userId]?.active_timestamp
  return seen ? `Last active ${shortTime(seen)}` : 'Offline'
}

/** Role, email, local time and profile fields, as far as they are known. */
export function factsOf(store: Store, userId: number): [label: string, value: string][] {
  const user = store.users.byId.get(userId)
  if (!user) return []
  const fields = store.settings.custom_profile_fields as { id: number; name: string }[] | undefined
  const profile = (fields ?? []).map(({ id, name }): [string, string] => [name, user.profile_data?.[id]?.value ?? ''])
  const facts: [string, string][] = [
    ['Role', user.is_active ? (roleNames[user.role] ?? '') : 'Deactivated'],
    ['Email', user.delivery_email ?? user.email],
    ['Local time', localTime(user.timezone)],
    ...profile,
  ]
  return facts.filter(([, value]) => value !== '')
}

function localTime(timeZone: string): string {
  if (timeZone === '') return ''
  try {
    return new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone }).format(new Date())
  } catch {
    return ''
  }
}
