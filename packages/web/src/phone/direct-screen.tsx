import { narrows } from '@parley/client/messages/narrow'
import { useState } from 'react'
import { useLatestMessages } from '../messages/use-latest-messages.ts'
import { Faces, PresentAvatar } from '../people/avatar.tsx'
import { isOnline, namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'
import { plainText, speaker } from '../rendered/plain-text.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { type DirectEntry, directEntries } from '../sidebar/model.ts'
import { Button } from '../ui/button.tsx'
import { Screen } from '../ui/screen.tsx'
import { Empty } from '../ui/states.tsx'
import { UnreadPill } from '../ui/unread-pill.tsx'
import './phone.css'

const shownAtOnce = 50

/** Who is here now, then all direct conversations, the latest first. */
export function DirectScreen() {
  const store = useStore()
  const [limit, setLimit] = useState(shownAtOnce)
  const all = directEntries(store, Number.POSITIVE_INFINITY)
  const shown = all.slice(0, limit)
  useLatestMessages(shown.map(({ latest }) => latest))
  return (
    <Screen title={t('sidebar.direct')}>
      <div className="list direct">
        <PresentPeople entries={all} />
        {all.length === 0 && <Empty icon="message-circle" title={t('direct.none')} />}
        {shown.map((entry) => (
          <DirectRow key={entry.userIds.join()} entry={entry} />
        ))}
        {shown.length < all.length && (
          <Button look="outline" onClick={() => setLimit(limit + shownAtOnce)}>
            {t('inbox.more', { count: all.length })}
          </Button>
        )}
      </div>
    </Screen>
  )
}

const mostPresent = 12

/** The last people that the viewer wrote with come first. */
function PresentPeople({ entries }: { entries: readonly DirectEntry[] }) {
  const store = useStore()
  const { viewerId } = useSession()
  const known = entries.flatMap(({ userIds }) => userIds)
  const people = [...new Set([...known, ...store.users.byId.keys()])].filter(
    (id) => id !== viewerId && store.users.byId.get(id)?.is_bot === false && isOnline(store, id),
  )
  if (people.length === 0) return null
  return (
    <nav className="now-strip" aria-label={t('people.active')}>
      {people.slice(0, mostPresent).map((id) => (
        <a key={id} href={narrowHash(narrows.direct([id]), store)}>
          <PresentAvatar userId={id} size="" />
          <span>{namesOf(store, [id]).split(' ')[0]}</span>
        </a>
      ))}
    </nav>
  )
}

function DirectRow({ entry: { userIds, unread, latest } }: { entry: DirectEntry }) {
  const store = useStore()
  const session = useSession()
  const message = session.messages.byId.get(latest)
  const isOwn = message?.sender_id === session.viewerId
  return (
    <a className={`conv ${unread > 0 ? 'unread' : ''}`} href={narrowHash(narrows.direct(userIds), store)}>
      {userIds.length > 1 ? (
        <Faces userIds={userIds} most={2} size="md" />
      ) : (
        <PresentAvatar userId={userIds[0] ?? session.viewerId} size="" />
      )}
      <div className="title">
        <b>{namesOf(store, userIds.length > 0 ? userIds : [session.viewerId])}</b>
      </div>
      <time>{message && shortTime(message.timestamp)}</time>
      <p dir="auto">
        {message && (isOwn || userIds.length > 1) && (
          <b>{isOwn ? t('direct.you') : speaker(message.sender_full_name, message.content)}</b>
        )}{' '}
        {message && plainText(message.content)}
      </p>
      <div className="end">{unread > 0 && <UnreadPill count={unread} />}</div>
    </a>
  )
}
