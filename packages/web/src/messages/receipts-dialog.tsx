import { useEffect, useState } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure, Skeleton } from '../ui/states.tsx'

/** Who has read a message, except its author and users who keep that to themselves. */
export function ReceiptsDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { client } = useSession()
  const store = useStore()
  const [readers, setReaders] = useState<number[]>()
  const [error, setError] = useState<Error>()
  useEffect(() => {
    client.call('getReadReceipts', { path: { message_id: id } }).then(({ user_ids }) => setReaders(user_ids), setError)
  }, [client, id])
  const title = readers === undefined ? t('receipts.title') : t('receipts.titleCount', { count: readers.length })
  return (
    <Dialog title={title} onClose={onClose}>
      {error && <Failure error={error} />}
      {!readers && !error && <Skeleton rows={3} />}
      {readers?.length === 0 && <p className="quiet">{t('receipts.none')}</p>}
      <ul className="people-list">
        {readers?.map((userId) => (
          <li key={userId}>
            <PresentAvatar userId={userId} /> {nameOf(store, userId)}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
