import type { Destination } from '@parley/client/session/outbox'
import { channelOfStore } from '../feed/titles.ts'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** In place of the composer. */
export function ClosedLine({ name }: { name: string }) {
  return (
    <div className="compose">
      <p className="closed-line">
        <Icon name="lock" size="s" /> {t('compose.closed', { channel: name })}
      </p>
    </div>
  )
}

/** Above the text, in a channel that the viewer reads without being in it. */
export function JoinLine({ destination }: { destination: Extract<Destination, { stream_id: number }> }) {
  const { client } = useSession()
  const store = useStore()
  const channel = channelOfStore(store, destination.stream_id)
  if (!channel || channel.invite_only) return null
  const { name } = channel
  return (
    <p className="join-line">
      {t('compose.notJoined', { channel: name })}
      <Button
        look="outline"
        onClick={() => void act(client.call('subscribe', { subscriptions: [{ name }] }), t('channel.joined', { name }))}
      >
        {t('channel.join')}
      </Button>
    </p>
  )
}
