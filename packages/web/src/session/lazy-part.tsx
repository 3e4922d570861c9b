import { type ComponentType, lazy, useEffect } from 'react'
import { t } from '../platform/i18n.ts'
import { Failure } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { useRetryOnline } from './context.tsx'
import { loadLater } from './later.ts'

/** A part that is also needed without the server: it is loaded when the client has opened, before it is shown. */
export function earlyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  setTimeout(() => void loadLater(load).catch(() => {}), 300)
  return lazyPart(load)
}

/** A part of the client that is loaded when it is first shown. If that fails, the rest keeps working. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(() =>
    loadLater(load).then(
      (Part) => ({ default: Part }),
      () => ({ default: NotLoaded as ComponentType<Props> }),
    ),
  )
}

/** In place of a screen or a page. Dialogs, which can be closed, do not open. */
function NotLoaded({ onClose }: { onClose?: () => void }) {
  useRetryOnline(true, () => {
    if (!document.activeElement?.matches('textarea, input')) void startAgain()
  })
  useEffect(() => {
    if (!onClose) return
    void startAgain()
    onClose()
  }, [onClose])
  return onClose ? null : <Failure error={new Error()} onRetry={() => void startAgain()} />
}

/** The server may have another version, without the missing file. Without the server, the page is better than none. */
async function startAgain(): Promise<void> {
  try {
    await fetch('/', { method: 'HEAD' })
    window.location.reload()
  } catch {
    showToast({ text: t('error.unreachable'), isError: true })
  }
}
