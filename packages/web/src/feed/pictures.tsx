import type { MessageWindow } from '@parley/client/messages/window'
import { type RefObject, Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../session/lazy-part.tsx'

// The messages come first.
const Lightbox = lazyPart(() => import('./lightbox.tsx').then((one) => one.Lightbox))

/** Opens the picture that is clicked in the feed. */
export function Pictures({ feed, shown }: { feed: RefObject<HTMLElement | null>; shown: MessageWindow }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const element = feed.current!
    const clicked = (event: MouseEvent) => {
      const picture = clickedPicture(event)
      if (!picture) return
      event.preventDefault()
      setUrl(picture)
    }
    element.addEventListener('click', clicked)
    return () => element.removeEventListener('click', clicked)
  }, [feed])
  if (!url) return null
  return (
    <Suspense>
      <Lightbox shown={shown} url={url} onClose={() => setUrl(undefined)} />
    </Suspense>
  )
}

/** With a key held down, the browser opens the link. */
function clickedPicture({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): string | undefined {
  const link =
    ctrlKey || metaKey || shiftKey ? null : (target as Element).closest('.text a[href^="/user_uploads/"]:has(> img)')
  return link?.getAttribute('href') ?? undefined
}
