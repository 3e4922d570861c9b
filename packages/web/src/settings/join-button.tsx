import { t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { type KnownChannel, mayJoin } from './channels-model.ts'
import { save } from './saving.ts'

export function JoinButton({ channel }: { channel: KnownChannel }) {
  const { client, viewerId } = useSession()
  const store = useStore()
  const { name } = channel
  const isSubscribed = store.channels.subscribed.has(channel.stream_id)
  const role = store.users.byId.get(viewerId)?.role ?? 600
  if (!isSubscribed && !mayJoin(store.groups.byId, { id: viewerId, role }, channel)) return null
  const join = () => client.call('subscribe', { subscriptions: [{ name }] })
  const leave = () => client.call('unsubscribe', { subscriptions: [name] })
  return isSubscribed ? (
    <Button
      look="outline"
      aria-label={t('channel.leaveName', { name })}
      onClick={() => void save(leave, { undo: join, text: t('channel.left', { name }) })}
    >
      {t('channel.leave')}
    </Button>
  ) : (
    <Button
      look="primary"
      aria-label={t('channel.joinName', { name })}
      onClick={() => void save(join, { undo: leave, text: t('channel.joined', { name }) })}
    >
      {t('channel.join')}
    </Button>
  )
}
