import { currentPermission } from './permission.ts'
import type { NotificationText } from './texts.ts'

const icon = '/static/icon-192.png'
const open = new Map<string, Notification>()

/** Shows a desktop notification. One with the same tag replaces it. A click opens the hash. */
export async function showNotification(tag: string, { title, body }: NotificationText, hash: string): Promise<void> {
  if (currentPermission() !== 'granted') return
  // The sound is ours, with settings of its own.
  const options = { tag, body, icon, silent: true, data: { hash } }
  try {
    const shown = new Notification(title, options)
    open.set(tag, shown)
    shown.onclose = () => open.delete(tag)
    shown.onclick = () => {
      window.focus()
      window.location.hash = hash
      shown.close()
    }
  } catch {
    // Phones show notifications only through the service worker, which also handles the click.
    await (await navigator.serviceWorker?.getRegistration())?.showNotification(title, options)
  }
}

/** For example because the message was read on another device. */
export async function closeNotification(tag: string): Promise<void> {
  open.get(tag)?.close()
  open.delete(tag)
  const registration = await navigator.serviceWorker?.getRegistration()
  for (const shown of (await registration?.getNotifications({ tag })) ?? []) shown.close()
}
