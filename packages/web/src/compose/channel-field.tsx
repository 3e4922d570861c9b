import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { CompletedField } from './completion/completed-field.tsx'
import { isMatch } from './completion/completion.ts'

interface ChannelFieldProps {
  channels: readonly { stream_id: number; name: string; invite_only: boolean; color?: string }[]
  channelId: number | undefined
  isDisabled?: boolean
  hasFocus?: boolean
  onChannel: (id: number) => void
}

const mostShown = 8

/** A channel, completed while its name is typed. What is no channel becomes the one chosen before. */
export function ChannelField({ channels, channelId, isDisabled, hasFocus, onChannel }: ChannelFieldProps) {
  const [typed, setTyped] = useState<string>()
  const chosen = channels.find(({ stream_id }) => stream_id === channelId)
  const found = typed === undefined ? [] : channels.filter(({ name }) => isMatch(name, typed)).slice(0, mostShown)
  const close = () => setTyped(undefined)
  const suggestions = found.map(({ stream_id, name, invite_only, color }) => ({
    label: name,
    detail: '',
    text: String(stream_id),
    icon: invite_only ? ('lock' as const) : ('hash' as const),
    color,
  }))
  const take = (id: number) => {
    onChannel(id)
    close()
  }
  return (
    <CompletedField
      label={t('common.channel')}
      autoFocus={hasFocus}
      disabled={isDisabled}
      placeholder={chosen?.name}
      value={typed ?? chosen?.name ?? ''}
      length={typed?.length ?? 0}
      suggestions={suggestions}
      onTake={(text) => take(Number(text))}
      onClose={close}
      onType={setTyped}
      onFocus={({ target }) => target.select()}
      onClick={() => setTyped(typed ?? '')}
      onBlur={() => (found[0] && typed ? take(found[0].stream_id) : close())}
    />
  )
}
