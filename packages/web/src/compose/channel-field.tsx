import { useRef, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { isMatch } from './completion/completion.ts'
import { useCompletion } from './completion/use-completion.tsx'

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
  const field = useRef<HTMLInputElement>(null)
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
  const completion = useCompletion(
    field,
    { length: typed?.length ?? 0, suggestions },
    ({ text }) => take(Number(text)),
    close,
  )
  return (
    <span className="topic-slot">
      {completion.list}
      <input
        ref={field}
        className="topic-input"
        aria-label={t('common.channel')}
        // biome-ignore lint/a11y/noAutofocus: the user asked to write
        autoFocus={hasFocus}
        autoComplete="off"
        disabled={isDisabled}
        placeholder={chosen?.name}
        value={typed ?? chosen?.name ?? ''}
        {...completion.fieldProps}
        onFocus={({ target }) => target.select()}
        onClick={() => setTyped(typed ?? '')}
        onChange={({ target }) => {
          setTyped(target.value)
          completion.reset()
        }}
        onBlur={() => (found[0] && typed ? take(found[0].stream_id) : close())}
        onKeyDown={(event) => {
          event.stopPropagation()
          completion.pressed(event)
        }}
      />
    </span>
  )
}
