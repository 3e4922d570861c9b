import { t } from '../platform/i18n.ts'

export interface Upload {
  id: number
  name: string
  /** From 0 to 1. */
  progress: number
  /** Why it failed, until it is retried. */
  failure: string | undefined
  retry: () => void
  /** Also removes an upload that failed. */
  cancel: () => void
}

interface Request {
  /** The link to put into the message. */
  done: Promise<string>
  abort: () => void
}
type Send = (file: File, onProgress: (progress: number) => void) => Request

const none: readonly Upload[] = []

/** Files on their way to the server, by composer. They go on while another screen is shown. */
export class UploadBox {
  readonly #send: Send
  readonly #uploads = new Map<string, readonly Upload[]>()
  readonly #listeners = new Set<() => void>()
  #count = 0

  constructor(send: Send = sendFile) {
    this.#send = send
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  list(slot: string): readonly Upload[] {
    return this.#uploads.get(slot) ?? none
  }

  add(slot: string, file: File, insert: (link: string) => void): void {
    const id = ++this.#count
    const change = (fields: Partial<Upload>) =>
      this.#set(
        slot,
        this.list(slot).map((one) => (one.id === id ? { ...one, ...fields } : one)),
      )
    const remove = () =>
      this.#set(
        slot,
        this.list(slot).filter((one) => one.id !== id),
      )
    const start = () => {
      const request = this.#send(file, (progress) => change({ progress }))
      const cancel = () => {
        remove()
        request.abort()
      }
      change({ progress: 0, failure: undefined, cancel })
      request.done.then(
        (link) => {
          if (this.list(slot).some((one) => one.id === id)) insert(link)
          remove()
        },
        (error: Error) => change({ failure: error.message }),
      )
    }
    this.#set(slot, [
      ...this.list(slot),
      { id, name: file.name, progress: 0, failure: undefined, retry: start, cancel: remove },
    ])
    start()
  }

  #set(slot: string, uploads: readonly Upload[]): void {
    this.#uploads.set(slot, uploads)
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Uploads with progress, which `fetch` cannot report. */
function sendFile(file: File, onProgress: (progress: number) => void): Request {
  const request = new XMLHttpRequest()
  const done = new Promise<string>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onload = () => {
      const answer = parse(request.responseText)
      if (answer.result === 'success') resolve(`[${file.name.replace(/[[\]]/g, '')}](${answer.url})`)
      else reject(new Error(answer.msg ?? t('compose.noReason')))
    }
    request.onerror = () => reject(new Error(t('compose.connectionLost')))
  })
  const form = new FormData()
  form.append('file', file)
  request.open('POST', '/api/v1/user_uploads')
  request.setRequestHeader('Parley-Client', 'web')
  request.send(form)
  return { done, abort: () => request.abort() }
}

/** Proxies refuse large files with a page of their own. */
function parse(text: string): { result?: string; msg?: string; url?: string } {
  try {
    return JSON.parse(text) as object
  } catch {
    return {}
  }
}
