import type { MessageWindow } from '@parley/client/messages/window'
import { useEffect, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { plainText, speaker } from '../rendered/plain-text.ts'
import { useSession } from '../session/context.tsx'

const spanMilliseconds = 5000
const mostRead = 3

interface Arrival {
  id: number
  text: string
  at: number
}

/** Lets screen readers say what arrives in the open conversation, or only how much if it is a lot. */
export function Arrivals({ window: shown }: { window: MessageWindow }) {
  const session = useSession()
  const [arrivals, setArrivals] = useState<Arrival[]>([])
  useEffect(
    () =>
      session.onEvent((event) => {
        if (event.type !== 'message' || event.message.sender_id === session.viewerId) return
        const { id, sender_full_name, content } = event.message
        if (!shown.ids.includes(id)) return
        const now = performance.now()
        const arrival = { id, text: `${speaker(sender_full_name, content)} ${plainText(content, 200)}`, at: now }
        setArrivals((before) => [...before.filter(({ at }) => now - at < spanMilliseconds), arrival])
      }),
    [session, shown],
  )
  return (
    <div className="hidden" role="log" aria-label={t('feed.new')}>
      {arrivals.length > mostRead ? (
        <p>{t('feed.arrived', { count: arrivals.length })}</p>
      ) : (
        arrivals.map(({ id, text }) => <p key={id}>{text}</p>)
      )}
    </div>
  )
}
