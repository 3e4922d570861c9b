import type { Destination } from '@parley/client/session/outbox'
import { Suspense, useEffect, useRef, useState } from 'react'
import { nameOf } from '../../people/presence.ts'
import { list, t } from '../../platform/i18n.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { lazyPart } from '../../session/lazy-part.tsx'

const WorkingLines = lazyPart(() => import('./working-lines.tsx').then((one) => one.WorkingLines))

const renewAfter = 10_000
const stopAfter = 5000

/** Tells others that the viewer is typing, while they do. */
export function useTypingNotices(destination: Destination | undefined, text: string): void {
  const { client } = useSession()
  const sent = useRef(0)
  const target = JSON.stringify(destination)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `destination` is built again each time.
  useEffect(() => {
    if (!destination) return
    const notify = (op: 'start' | 'stop') => {
      const to =
        'stream_id' in destination
          ? { type: 'stream' as const, stream_id: destination.stream_id, topic: destination.topic }
          : { type: 'direct' as const, to: destination.user_ids }
      client.call('setTypingStatus', { op, ...to } as never).catch(() => {})
    }
    if (text === '') {
      if (sent.current > 0) notify('stop')
      sent.current = 0
      return
    }
    if (Date.now() - sent.current > renewAfter) {
      sent.current = Date.now()
      notify('start')
    }
    const timer = setTimeout(() => {
      sent.current = 0
      notify('stop')
    }, stopAfter)
    return () => clearTimeout(timer)
  }, [client, target, text])
}

/** Who else is typing here. */
export function TypingLine({ destination }: { destination: Destination }) {
  const store = useSlices('typing', 'users')
  const { viewerId } = useSession()
  const [, setTick] = useState(0)
  const others = (
    'stream_id' in destination
      ? store.typing.inTopic(destination.stream_id, destination.topic)
      : store.typing.among([...new Set([...destination.user_ids, viewerId])])
  ).filter(({ id, isWorking }) => isWorking || id !== viewerId)
  const workers = others.filter(({ isWorking }) => isWorking)
  const names = others.filter(({ isWorking }) => !isWorking).map(({ id }) => nameOf(store, id))
  useEffect(() => {
    if (others.length === 0) return
    const timer = setInterval(() => setTick((tick) => tick + 1), 5000)
    return () => clearInterval(timer)
  }, [others.length])
  if (others.length === 0) return <div className="typing" />
  return (
    <div className="typing">
      <i aria-hidden="true">
        <u />
      </i>{' '}
      {workers.length > 0 && (
        <Suspense>
          <WorkingLines workers={workers} destination={destination} />
        </Suspense>
      )}
      {names.length > 0 && t('compose.typing', { count: names.length, names: list(names) })}
    </div>
  )
}
