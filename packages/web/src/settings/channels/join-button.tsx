import { mayJoin } from '@parley/api/channel-permissions'
import { t } from '../../platform/i18n.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'
import { save } from '../saving.ts'
import type { KnownChannel } from './channels-model.ts'

export function JoinButton({ channel }: { channel: KnownChannel }) {
  const { client } = useSession()
  const store = useSlices('channels', 'viewer')
  const { name } = channel
  const isSubscribed = store.channels.subscribed.has(channel.stream_id)
  if (!isSubscribed && !mayJoin(store.viewer, channel)) return null
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
