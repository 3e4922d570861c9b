import { ParleyError } from '@parley/client/errors'
import { showToast } from '../ui/toast.tsx'

/** Runs a change. If the server refuses, says why; otherwise offers to undo it. */
export async function act(work: Promise<unknown>, done?: string, undo?: () => void): Promise<void> {
  try {
    await work
    if (done) showToast({ text: done, ...(undo && { undo }) })
  } catch (error) {
    showToast({ text: error instanceof ParleyError ? error.message : 'The server cannot be reached.', isError: true })
  }
}
