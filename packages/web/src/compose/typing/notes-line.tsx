import type { Destination } from '@parley/client/session/outbox'
import { Suspense } from 'react'
import { useSession, useSlices } from '../../session/context.tsx'
import { lazyPart } from '../../session/lazy-part.tsx'

const EphemeralNotes = lazyPart(() => import('./ephemeral-notes.tsx').then((one) => one.EphemeralNotes))

/** What bots answered to the viewer alone. */
export function NotesLine({ destination }: { destination: Destination }) {
  const { ephemeral } = useSlices('ephemeral')
  const { viewerId } = useSession()
  const notes = ephemeral.in(destination, viewerId)
  if (notes.length === 0) return null
  return (
    <Suspense>
      <EphemeralNotes notes={notes} />
    </Suspense>
  )
}
