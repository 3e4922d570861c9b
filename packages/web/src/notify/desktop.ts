import { currentPermission } from './permission.ts'
import type { NotificationText } from './texts.ts'

const appIcon = '/static/icon-192.png'
/** How to close what is shown, by message; summaries are closed by the user. */
const closers = new Map<number, () => void>()

interface Wanted extends NotificationText {
  /** Undefined for several messages. */
  messageId?: number
  /** What a click opens. */
  hash: string
  /** The image of the sender, if there is one. */
  icon?: string | undefined
}

export async function showNotification({ messageId, title, body, hash, icon = appIcon }: Wanted): Promise<void> {
  if (currentPermission() !== 'granted') return
  const tag = messageId === undefined ? 'summary' : `message-${messageId}`
  // The sound is ours, with settings of its own.
  const options = { tag, body, icon, silent: true, data: { hash } }
  const close = showInPage(title, options) ?? (await showInWorker(title, options))
  if (messageId !== undefined && close) closers.set(messageId, close)
}

type Options = NotificationOptions & { data: { hash: string } }

/** Undefined on phones, which refuse this. */
function showInPage(title: string, options: Options): (() => void) | undefined {
  try {
    const shown = new Notification(title, options)
    shown.onclick = () => {
      window.focus()
      window.location.hash = options.data.hash
      shown.close()
    }
    return () => shown.close()
  } catch {
    return undefined
  }
}

/** The service worker handles the click. */
async function showInWorker(title: string, options: Options): Promise<(() => void) | undefined> {
  const registration = await navigator.serviceWorker?.getRegistration()
  if (!registration) return undefined
  await registration.showNotification(title, options)
  return async () => {
    for (const shown of await registration.getNotifications({ tag: options.tag! })) shown.close()
  }
}

/** For example because the messages were read on another device. */
export function closeNotifications(messageIds: Iterable<number>): void {
  const ids = new Set(messageIds)
  for (const id of ids) {
    closers.get(id)?.()
    closers.delete(id)
  }
  void closePushed((id) => ids.has(id))
}

export function closeAllNotifications(): void {
  closeNotifications([...closers.keys()])
  void closePushed(() => true)
}

/** Closes what the service worker showed while no window was open. */
async function closePushed(isSettled: (messageId: number) => boolean): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  for (const shown of (await registration?.getNotifications()) ?? [])
    if (isSettled((shown.data as { id?: number } | null)?.id ?? 0)) shown.close()
}
