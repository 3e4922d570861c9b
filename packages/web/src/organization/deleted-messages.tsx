import type { DeletedMessage } from '@parley/api/conversations/deletion'
import { restorableDays } from '@parley/api/limits'
import { narrows } from '@parley/client/messages/narrow'
import { useState } from 'react'
import { PlaceLine } from '../compose/place-line.tsx'
import { PresentAvatar } from '../people/avatar.tsx'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { exactTime, longTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { useLoaded } from '../session/loading.tsx'
import { Card, OnceButton } from '../settings/controls.tsx'
import { PagedList } from '../settings/paged-list.tsx'
import { reasonOf } from '../settings/saving.ts'
import { showToast } from '../ui/toast.tsx'

const pageSize = 50

/** What was deleted in the last days, for moderators. */
export function DeletedMessagesPage() {
  const { client } = useSession()
  const load = (before?: number) =>
    client.call('getDeletedMessages', { limit: pageSize, ...(before !== undefined && { before }) })
  const first = useLoaded(() => load())
  return (
    <Card title={t('deleted.title')} text={t('deleted.text', { days: String(restorableDays) })}>
      <PagedList
        first={first}
        load={load}
        rowsOf={({ messages }) => messages}
        idOf={({ number }) => number}
        emptyText={t('deleted.none')}
      >
        {(message) => <DeletedEntry key={message.number} message={message} />}
      </PagedList>
    </Card>
  )
}

function DeletedEntry({ message }: { message: DeletedMessage }) {
  const store = useSlices('users')
  const { sender_id, timestamp, deleted_by, deleted_timestamp, content } = message
  const [sender, person] = [nameOf(store, sender_id), nameOf(store, deleted_by)]
  const time = longTime(deleted_timestamp)
  return (
    <article className="deleted-entry" aria-label={t('deleted.messageOf', { name: sender })}>
      <PresentAvatar userId={sender_id} size="md" />
      <div>
        <p>
          <b>{sender}</b> <time className="quiet">{exactTime(timestamp)}</time>
        </p>
        <DeletedPlace message={message} />
        <p className="deleted-text">{content}</p>
        <p className="quiet">
          {deleted_by === sender_id ? t('deleted.byAuthor', { time }) : t('deleted.by', { name: person, time })}
        </p>
      </div>
      <Restore message={message} />
    </article>
  )
}

function DeletedPlace({ message: { stream_id, topic, user_ids } }: { message: DeletedMessage }) {
  const { viewerId } = useSession()
  const others = user_ids.filter((id) => id !== viewerId)
  return <PlaceLine to={stream_id === null ? { user_ids: others } : { stream_id, topic }} />
}

/** Once the message is back, the way to it takes the place of the button, and the focus. */
function Restore({ message: { id, stream_id, topic, user_ids } }: { message: DeletedMessage }) {
  const { client, viewerId } = useSession()
  const store = useSlices('channels')
  const [isRestored, setRestored] = useState(false)
  const restore = async () => {
    try {
      await client.call('restoreMessage', { path: { message_id: id } })
      setRestored(true)
      showToast({ text: t('deleted.restored') })
    } catch (error) {
      showToast({ text: reasonOf(error), isError: true })
    }
  }
  if (!isRestored) return <OnceButton onPress={restore}>{t('deleted.restore')}</OnceButton>
  const narrow =
    stream_id === null ? narrows.direct(user_ids.filter((one) => one !== viewerId)) : narrows.topic(stream_id, topic)
  return (
    <a className="btn outline" href={narrowHash(narrow, store, id)} ref={(link) => link?.focus()}>
      {t('deleted.show')}
    </a>
  )
}
