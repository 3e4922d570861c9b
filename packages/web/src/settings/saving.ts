import { ParleyError } from '@parley/client/wire/errors'
import { t } from '../platform/i18n.ts'
import { showToast } from '../ui/toast.tsx'

export const reasonOf = (error: unknown) =>
  error instanceof ParleyError ? error.message : t('error.unreachableUnchanged')

/** Makes a change at once and offers to undo it. Returns whether the server accepted it. */
export async function save(
  change: () => Promise<unknown>,
  { undo, text = t('saving.saved') }: { undo?: () => Promise<unknown>; text?: string } = {},
): Promise<boolean> {
  try {
    await change()
    showToast({ text, ...(undo && { undo: () => void save(undo, { text: t('saving.undone') }) }) })
    return true
  } catch (error) {
    showToast({ text: reasonOf(error), isError: true })
    return false
  }
}

/** Saves what a form contains. Returns why it was refused, if it was. */
export async function saveForm(change: () => Promise<unknown>, text = t('saving.saved')): Promise<string | undefined> {
  try {
    await change()
    showToast({ text })
  } catch (error) {
    return reasonOf(error)
  }
}

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text).then(
    () => showToast({ text: t('saving.copied') }),
    () => showToast({ text: t('saving.notCopied'), isError: true }),
  )
}

/** Sends a file to an operation that accepts one. */
export async function sendFile(method: string, path: string, file: File, fields: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file)
  const response = await fetch(`/api/v1${path}`, { method, headers: { 'Parley-Client': 'web' }, body: form })
  const body = await response.json()
  if (body.result !== 'success') throw new ParleyError(response.status, body)
}
