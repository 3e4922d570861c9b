import { channelOf } from '@parley/client/messages/narrow'
import { Session } from '@parley/client/session/session'
import { VisitorClient } from '@parley/client/session/visitor'
import { useEffect, useState } from 'react'
import { SessionProvider, useChanges } from '../session/context.tsx'
import { parseNarrow, parseTopics } from '../session/links.ts'
import { Skeleton } from '../ui/states.tsx'
import { Visit } from './visit.tsx'

/** The client for people without an account: it reads open channels, and writes nothing. */
export function VisitorApp({ onClosed }: { onClosed: () => void }) {
  const [session, setSession] = useState<Session>()
  useEffect(() => {
    let started: Session | undefined
    let isGone = false
    VisitorClient.start({ site: window.location.origin }).then((client) => {
      if (isGone) return
      if (!isOpen(client, window.location.hash)) return onClosed()
      started = new Session(client, undefined, { mayAct: false })
      void started.run()
      setSession(started)
    }, onClosed)
    return () => {
      isGone = true
      started?.stop()
    }
  }, [onClosed])
  if (!session) return <Skeleton rows={12} />
  return (
    <SessionProvider value={session}>
      <Started session={session} />
    </SessionProvider>
  )
}

/** A link to anything else is for members, who sign in. */
function isOpen({ channelIds }: VisitorClient, hash: string): boolean {
  const channelId = parseTopics(hash) ?? channelOf(parseNarrow(hash)?.narrow ?? [])
  return channelId === undefined ? hash.startsWith('#channels') : channelIds.includes(channelId)
}

function Started({ session }: { session: Session }) {
  useChanges()
  return session.store ? <Visit /> : <Skeleton rows={12} />
}
