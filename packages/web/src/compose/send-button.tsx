import { goTo } from '../platform/routing.ts'
import { clockTime } from '../platform/times.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { sendTimes } from './schedule.ts'

interface SendButtonProps {
  isReady: boolean
  onSend: () => void
  onSchedule: (at: number) => void
  onPickTime: () => void
  onSnippets: () => void
  onPreview: () => void
}

/** Sends now, or from its menu at a chosen time. On phones the menu also has what the row has no room for. */
export function SendButton({ isReady, onSend, onSchedule, onPickTime, onSnippets, onPreview }: SendButtonProps) {
  const isPhone = window.innerWidth < 900
  const times = isReady ? sendTimes(new Date()) : []
  return (
    <span className="split">
      <Button look="primary" icon="send-horizontal" onClick={onSend} disabled={!isReady} aria-label="Send">
        <span className="wide">Send</span>
      </Button>
      <Menu
        label="Send later"
        trigger={(props) => <IconButton label="Send later" icon="chevron-down" look="primary" {...props} />}
        items={[
          ...times.map(({ label, at }) => ({
            label: `${label}, ${clockTime(at)}`,
            icon: 'clock' as const,
            onSelect: () => onSchedule(at),
          })),
          isReady && { label: 'Pick a time …', icon: 'rotate-ccw-clock', onSelect: onPickTime },
          { label: 'Scheduled messages', icon: 'list', onSelect: () => goTo('#scheduled') },
          isPhone && { label: 'Insert a snippet …', icon: 'file-text', onSelect: onSnippets },
          isPhone && { label: 'Preview', icon: 'eye', onSelect: onPreview },
        ]}
      />
    </span>
  )
}
