import { PresentAvatar } from '../people/avatar.tsx'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Who has read a message, except its author and users who keep that to themselves. */
export function ReceiptsDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { client } = useSession()
  const store = useSlices('users')
  const receipts = useLoaded(() => client.call('getReadReceipts', { path: { message_id: id } }), id)
  const count = receipts.value?.user_ids.length
  const title = count === undefined ? t('receipts.title') : t('receipts.titleCount', { count })
  return (
    <Dialog title={title} onClose={onClose}>
      {count === 0 && <p className="quiet">{t('receipts.none')}</p>}
      <Loaded of={receipts}>
        {({ user_ids }) => (
          <ul className="people-list">
            {user_ids.map((userId) => (
              <li key={userId}>
                <PresentAvatar userId={userId} /> {nameOf(store, userId)}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Dialog>
  )
}
