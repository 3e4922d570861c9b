import { t } from '../platform/i18n.ts'
export interface Upload {
  id: number
  name: string
  /** From 0 to 1. */
  progress: number
  cancel: () => void
  /** The link to put into the message. */
  done: Promise<string>
}

let count = 0

/** Uploads a file with progress, which `fetch` cannot report. */
export function uploadFile(file: File, onChange: (change: { progress: number }) => void): Upload {
  const request = new XMLHttpRequest()
  const done = new Promise<string>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onChange({ progress: loaded / total })
    request.onload = () => {
      const answer = JSON.parse(request.responseText || '{}') as { result?: string; msg?: string; url?: string }
      if (answer.result === 'success') resolve(`[${file.name.replace(/[[\]]/g, '')}](${answer.url})`)
      else reject(new Error(answer.msg ?? t('compose.noReason')))
    }
    request.onerror = () => reject(new Error(t('compose.connectionLost')))
    request.onabort = () => reject(new Error(t('compose.cancelled')))
  })
  const form = new FormData()
  form.append('file', file)
  request.open('POST', '/api/v1/user_uploads')
  request.setRequestHeader('Parley-Client', 'web')
  request.send(form)
  return { id: ++count, name: file.name, progress: 0, cancel: () => request.abort(), done }
}
