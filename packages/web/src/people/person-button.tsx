import { Suspense, useRef, useState } from 'react'
import { useSession } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'

const PersonCard = lazyPart(() => import('./person-card.tsx').then((one) => one.PersonCard))

/** A name that opens what is known about the person. */
export function PersonButton({ userId, name }: { userId: number; name: string }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const { mayAct } = useSession()
  if (!mayAct) return <b className="person-name">{name}</b>
  return (
    <>
      <button ref={button} type="button" className="person-name" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <b>{name}</b>
      </button>
      {isOpen && (
        <Suspense>
          <PersonCard userId={userId} anchor={() => button.current} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
