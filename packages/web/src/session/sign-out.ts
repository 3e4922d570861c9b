import type { Session } from '@parley/client/session/session'
import { ParleyError } from '@parley/client/wire/errors'
import { errorText } from '../platform/error-text.ts'
import { showToast } from '../ui/toast.tsx'

/** Ends this session on the server, and removes what this device stores of it. */
export async function signOut(session: Session): Promise<void> {
  let next: string | undefined
  session.isSigningOut = true
  try {
    next = (await session.client.call('endCurrentSession')).logout_url
  } catch (error) {
    session.isSigningOut = error instanceof ParleyError
    if (!session.isSigningOut) return showToast({ text: errorText(error), isError: true })
  }
  await leave(session, next)
}

export async function leave(session: Session, next = '/login'): Promise<void> {
  await session.forget()
  localStorage.clear() // drafts and edits; browsers do it by themselves only on HTTPS
  window.location.href = next
}
