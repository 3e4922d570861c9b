import { roles } from '@parley/api/roles'
import { narrows } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'
import { insertText } from '../compose/editing.ts'
import { dateLocale, type PlainId, t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { channelHash, narrowHash } from '../session/links.ts'
import { useLoaded } from '../session/loading.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { setMuted } from './actions.ts'
import { PresentAvatar } from './avatar.tsx'
import { isOnline, nameOf, statusText } from './presence.ts'
import { type ProfileValue, profileValue } from './profile-value.ts'

const roleNames: Record<number, PlainId> = {
  [roles.owner]: 'role.owner',
  [roles.admin]: 'role.administrator',
  [roles.moderator]: 'role.moderator',
  [roles.member]: 'role.member',
  [roles.guest]: 'role.guest',
}

const administrator = 200

interface PersonCardProps {
  userId: number
  /** What was clicked. */
  anchor: () => Element | null | undefined
  onClose: () => void
}

/** What is known about a person, and what can be done with them. */
export function PersonCard({ userId, anchor, onClose }: PersonCardProps) {
  const session = useSession()
  const store = useSlices('channels', 'mutedUsers', 'organization', 'presence', 'statuses', 'users')
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
    <Popover label={name} anchor={anchor} onClose={onClose} look="person-card">
      <div className="person-head">
        <PresentAvatar userId={userId} size="" />
        <div>
          <h2>{name}</h2>
          <p>{statusLine(store, userId)}</p>
        </div>
      </div>
      <dl className="facts">
        {factsOf(store, userId).map(([label, { text, href }]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {href ? (
                <a className="linkish" href={href} target="_blank" rel="noopener noreferrer">
                  {text}
                </a>
              ) : (
                text
              )}
            </dd>
          </div>
        ))}
      </dl>
      {!isOwn && <CommonChannels userId={userId} />}
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
    </Popover>
  )
}

const mostChannels = 6

/** The channels that the viewer and the person have both joined. */
function CommonChannels({ userId }: { userId: number }) {
  const { client } = useSession()
  const store = useSlices('channels', 'preferences')
  const { value } = useLoaded(() => client.call('getCommonChannels', { path: { user_id: userId } }))
  const ids = value?.stream_ids ?? []
  return (
    <p className="common">
      {value && t('people.common', { count: ids.length })}
      {ids.slice(0, mostChannels).map((id) => (
        <a key={id} className="chip" href={channelHash(id, store)}>
          <Icon name={store.channels.subscribed.get(id)?.invite_only ? 'lock' : 'hash'} size="s" />
          {store.channels.subscribed.get(id)?.name}
        </a>
      ))}
    </p>
  )
}

function statusLine(store: Slices<'presence' | 'statuses' | 'users'>, userId: number): string {
  return [presenceLine(store, userId), statusText(store, userId)].filter(Boolean).join(' · ')
}

function presenceLine(store: Slices<'presence' | 'users'>, userId: number): string {
  if (store.users.byId.get(userId)?.is_bot) return t('people.bot')
  if (isOnline(store, userId)) return t('people.active')
  const seen = store.presence.lastSeen(userId)?.active_timestamp
  return seen ? t('people.lastActive', { time: shortTime(seen) }) : t('people.offline')
}

/** Role, email, local time and profile fields, as far as they are known. */
function factsOf(store: Slices<'organization' | 'users'>, userId: number): [label: string, value: ProfileValue][] {
  const user = store.users.byId.get(userId)
  if (!user) return []
  const fields = store.organization.profileFields
  const profile = (fields ?? []).map((field): [string, ProfileValue] => [
    field.name,
    profileValue(store, field, user.profile_data?.[field.id]?.value ?? ''),
  ])
  const facts: [string, ProfileValue][] = [
    [t('people.role'), { text: roleText(user) }],
    [t('people.email'), { text: user.delivery_email ?? user.email }],
    [t('people.localTime'), { text: localTime(user.timezone) }],
    ...profile,
  ]
  return facts.filter(([, { text }]) => text !== '')
}

function roleText({ role, is_active }: { role: number; is_active: boolean }): string {
  if (!is_active) return t('people.deactivated')
  return roleNameOf(role)
}

export function roleNameOf(role: number): string {
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
