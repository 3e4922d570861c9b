import { ParleyError } from '@parley/client/errors'
import { showToast } from '../ui/toast.tsx'

export const reasonOf = (error: unknown) =>
  error instanceof ParleyError ? error.message : 'The server cannot be reached. Nothing was changed.'

/** Makes a change at once and offers to undo it. Returns whether the server accepted it. */
export async function save(
  change: () => Promise<unknown>,
  { undo, text = 'Saved' }: { undo?: () => Promise<unknown>; text?: string } = {},
): Promise<boolean> {
  try {
    await change()
    showToast({ text, ...(undo && { undo: () => void save(undo, { text: 'Undone' }) }) })
    return true
  } catch (error) {
    showToast({ text: reasonOf(error), isError: true })
    return false
  }
}

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text).then(
    () => showToast({ text: 'Copied' }),
    () => showToast({ text: 'The browser refused to copy. Select the text instead.', isError: true }),
  )
}

/** Sends a file to an operation that accepts one. */
export async function sendFile(method: string, path: string, file: File, fields: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file)
  const response = await fetch(`/api/v1${path}`, { method, headers: { 'Parley-Client': 'web' }, body: form })
  const body = (await response.json()) as Record<string, unknown>
  if (body.result !== 'success') throw new ParleyError(response.status, body)
}
