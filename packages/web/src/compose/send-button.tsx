import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { clockTime } from '../platform/times.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { sendTimes } from './scheduled/schedule.ts'

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
      <Button look="primary" icon="send-horizontal" onClick={onSend} disabled={!isReady} aria-label={t('compose.send')}>
        <span className="wide">{t('compose.send')}</span>
      </Button>
      <Menu
        label={t('compose.sendLater')}
        trigger={(props) => <IconButton label={t('compose.sendLater')} icon="chevron-down" look="primary" {...props} />}
        items={[
          ...times.map(({ label, at }) => ({
            label: t('schedule.choice', { day: label, time: clockTime(at) }),
            icon: 'clock' as const,
            onSelect: () => onSchedule(at),
          })),
          isReady && { label: t('schedule.pick'), icon: 'rotate-ccw-clock', onSelect: onPickTime },
          { label: t('schedule.all'), icon: 'list', onSelect: () => goTo('#scheduled') },
          isPhone && { label: t('snippets.insert'), icon: 'file-text', onSelect: onSnippets },
          isPhone && { label: t('compose.preview'), icon: 'eye', onSelect: onPreview },
        ]}
      />
    </span>
  )
}
