import { mayAddOthers } from '@parley/api/channel-permissions'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { ChannelChips } from '../settings/channel-chips.tsx'
import { type KnownChannel, knownChannels } from '../settings/channels/channels-model.ts'

interface InviteChannelsProps {
  chosen: readonly number[]
  onChange: (ids: number[]) => void
}

/** The channels that invited people are subscribed to when they join. */
export function InviteChannels({ chosen, onChange }: InviteChannelsProps) {
  const store = useSlices('channels', 'defaultChannels', 'viewer')
  const all = knownChannels(store).filter(({ is_archived }) => !is_archived)
  const isOffered = (channel: KnownChannel) =>
    store.defaultChannels.ids.includes(channel.stream_id) || mayAddOthers(store.viewer, channel)
  return (
    <div className="form-field">
      <span>{t('invitations.channels')}</span>
      <ChannelChips all={all} chosen={chosen} isOffered={isOffered} onChange={onChange} />
      <span className="d">{t('invitations.channels.text')}</span>
    </div>
  )
}
