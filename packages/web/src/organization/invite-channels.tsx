import { mayAddOthers } from '@parley/api/channel-permissions'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { type KnownChannel, knownChannels } from '../settings/channels/channels-model.ts'
import { Picker } from '../settings/picker.tsx'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

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
  const others = all.filter((one) => !chosen.includes(one.stream_id) && isOffered(one))
  return (
    <div className="form-field">
      <span>{t('invitations.channels')}</span>
      <div className="chips">
        {all
          .filter(({ stream_id }) => chosen.includes(stream_id))
          .map(({ stream_id, name, invite_only }) => (
            <span key={stream_id} className="chip">
              <Icon name={invite_only ? 'lock' : 'hash'} size="s" />
              {name}
              <IconButton
                label={t('common.removeName', { name })}
                icon="x"
                look="tiny"
                onClick={() => onChange(chosen.filter((id) => id !== stream_id))}
              />
            </span>
          ))}
        <Picker
          label={t('defaultChannels.addChannel')}
          placeholder={t('defaultChannels.addChannel')}
          options={others.map(({ stream_id, name, description }) => ({
            key: String(stream_id),
            label: name,
            detail: description,
          }))}
          onPick={({ key }) => onChange([...chosen, Number(key)])}
        />
      </div>
      <span className="d">{t('invitations.channels.text')}</span>
    </div>
  )
}
