import type { Destination } from '@parley/client/session/outbox'
import { topicName } from '../channels/topic-name.ts'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { Icon } from '../ui/icon.tsx'

/** Where a draft or a scheduled message goes. */
export function PlaceLine({ to }: { to: Destination }) {
  const store = useSlices('channels', 'users')
  if ('user_ids' in to)
    return (
      <b className="place">
        <Icon name="message-circle" size="s" /> {namesOf(store, to.user_ids)}
      </b>
    )
  const channel = store.channels.subscribed.get(to.stream_id) ?? store.channels.neverSubscribed.get(to.stream_id)
  const style = { '--channel': store.channels.subscribed.get(to.stream_id)?.color }
  return (
    <b className="place conversation" style={style}>
      <Icon name={channel?.invite_only ? 'lock' : 'hash'} size="s" />
      {channel?.name ?? t('channel.unknown')}
      <Icon name="chevron-right" size="s" /> {topicName(to.topic)}
    </b>
  )
}
