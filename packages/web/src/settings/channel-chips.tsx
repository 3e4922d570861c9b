import { t } from '../platform/i18n.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { KnownChannel } from './channels/channels-model.ts'
import { Picker } from './picker.tsx'

interface ChannelChipsProps {
  all: readonly KnownChannel[]
  chosen: readonly number[]
  isOffered?: (channel: KnownChannel) => boolean
  onChange: (ids: number[]) => void
}

/** Channels that were chosen, and a field that adds more. */
export function ChannelChips({ all, chosen, isOffered = () => true, onChange }: ChannelChipsProps) {
  const others = all.filter((one) => !chosen.includes(one.stream_id) && isOffered(one))
  return (
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
  )
}
