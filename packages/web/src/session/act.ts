import type { Session } from '@parley/client/session/session'
import type { CallName, CallParams } from '@parley/client/wire/calls'
import { errorText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { showToast } from '../ui/toast.tsx'

/** Runs a change. If the server refuses, says why; otherwise offers to undo it. */
export async function act(work: Promise<unknown>, done?: string, undo?: () => void): Promise<void> {
  try {
    await work
    if (done) showToast({ text: done, ...(undo && { undo }) })
  } catch (error) {
    showToast({ text: errorText(error), isError: true })
  }
}

/** Makes a change that waits for the server if necessary, also when the client is closed, and is then applied once. */
export function deliver<Name extends CallName>(
  session: Session,
  name: Name,
  params: CallParams<Name>,
): ReturnType<typeof session.deliveries.deliver<Name>> {
  if (session.connection === 'offline') showToast({ text: t('act.later') })
  return session.deliveries.deliver(name, params)
}
