import type { Notifying } from '@parley/client/session/outbox'
import { useEffect, useState } from 'react'
import { namesOf } from '../../people/presence.ts'
import { t } from '../../platform/i18n.ts'
import { clockTime, dayOf, longTime } from '../../platform/times.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'

interface PausedLineProps {
  userIds: readonly number[]
  isReady: boolean
  onSend: (notifying: Notifying) => void
  onSchedule: (at: number) => void
}

/** Says that the notifications of a recipient are paused, and offers what to do about it. */
export function PausedLine({ userIds, isReady, onSend, onSchedule }: PausedLineProps) {
  const store = useSlices('users')
  const pauses = usePauses(userIds)
  if (pauses.length === 0) return null
  const until = Math.max(...pauses.map((one) => one.until))
  const names = namesOf(
    store,
    pauses.map(({ user_id }) => user_id),
  )
  return (
    <div role="status">
      <p className="warning">
        {t('compose.paused', { names, time: timeOf(until) })}
        <Button disabled={!isReady} onClick={() => onSend({ silent: true })}>
          {t('compose.silently')}
        </Button>
        <Button disabled={!isReady} onClick={() => onSchedule(until)}>
          {t('compose.atTime', { time: timeOf(until) })}
        </Button>
        <Button disabled={!isReady} onClick={() => onSend({ notify_anyway: true })}>
          {t('compose.notifyAnyway')}
        </Button>
      </p>
    </div>
  )
}

function timeOf(seconds: number): string {
  return dayOf(seconds) === dayOf(Date.now() / 1000) ? clockTime(seconds) : longTime(seconds)
}

const refreshMilliseconds = 60_000

/** Requested while something is being written. */
function usePauses(userIds: readonly number[]): { user_id: number; until: number }[] {
  const { client, viewerId } = useSession()
  const key = userIds.filter((id) => id !== viewerId).join()
  const [known, setKnown] = useState<{ key: string; pauses: { user_id: number; until: number }[] }>()
  useEffect(() => {
    if (key === '') return
    const load = () =>
      void client
        .call('getNotificationPauses', { user_ids: key.split(',').map(Number) })
        .then(({ pauses }) => setKnown({ key, pauses }))
        .catch(() => {}) // without an answer, nothing is said
    load()
    const timer = setInterval(load, refreshMilliseconds)
    return () => clearInterval(timer)
  }, [client, key])
  return known?.key === key ? known.pauses : []
}
