import { errorText } from '../platform/error-text.ts'
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
