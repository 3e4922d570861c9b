import { dateLocale, t } from '../platform/i18n.ts'

export interface Upload {
  id: number
  file: File
  /** From 0 to 1. */
  progress: number
  /** Why it failed, until it is retried. */
  failure: string | undefined
  /** Undefined for a file that the server would refuse. */
  retry: (() => void) | undefined
  /** Also removes an upload that failed. */
  cancel: () => void
  /** Once the server has the file: what stands in the message. */
  link: string | undefined
  /** Whether the message has the link: it waits for files that were chosen before. */
  isInserted: boolean
}

interface Request {
  /** The link to put into the message. */
  done: Promise<string>
  abort: () => void
}
type Send = (file: File, onProgress: (progress: number) => void) => Request

export interface UploadTarget {
  /** Puts a link into the message. */
  insert: (link: string) => void
  maxMegabytes: number
}

const none: readonly Upload[] = []
const megabyte = 1024 * 1024

/** Whether it still has to arrive at the server. */
export function isGoing({ failure, link }: Upload): boolean {
  return failure === undefined && link === undefined
}

/** Files of messages that are being written, by composer. They go on while another screen is shown. */
export class UploadBox {
  readonly #send: Send
  readonly #uploads = new Map<string, readonly Upload[]>()
  /** Uploads whose links wait for files that were chosen before them. */
  readonly #waiting = new Map<number, UploadTarget['insert']>()
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

  /** Uploads a file, unless it is larger than the server takes. */
  add(slot: string, file: File, { insert, maxMegabytes }: UploadTarget): void {
    const id = ++this.#count
    const cancel = () => this.#remove(slot, id)
    const refused = file.size > maxMegabytes * megabyte ? tooLarge(file.size, maxMegabytes) : undefined
    const upload = {
      id,
      file,
      progress: 0,
      failure: refused,
      retry: undefined,
      cancel,
      link: undefined,
      isInserted: false,
    }
    this.#set(slot, [...this.list(slot), upload])
    if (refused === undefined) this.#start(slot, id, file, insert)
  }

  /** Forgets the files of a message that was sent. */
  clear(slot: string): void {
    this.#set(slot, this.list(slot).filter(isGoing))
  }

  #start(slot: string, id: number, file: File, insert: UploadTarget['insert']): void {
    const change = (fields: Partial<Upload>) => this.#change(slot, id, fields)
    const request = this.#send(file, (progress) => change({ progress }))
    const retry = () => this.#start(slot, id, file, insert)
    const cancel = () => {
      this.#remove(slot, id)
      request.abort()
    }
    change({ progress: 0, failure: undefined, retry, cancel })
    this.#waiting.set(id, insert)
    void request.done
      .then(
        (link) => change({ link, progress: 1 }),
        (error: Error) => change({ failure: error.message }),
      )
      .then(() => this.#insertInOrder(slot))
  }

  /** Links stand in the order in which the files were chosen, whichever is uploaded first. */
  #insertInOrder(slot: string): void {
    for (const upload of this.list(slot)) {
      if (isGoing(upload)) return
      const insert = this.#waiting.get(upload.id)
      this.#waiting.delete(upload.id)
      if (upload.link === undefined || !insert) continue
      insert(upload.link)
      this.#change(slot, upload.id, { isInserted: true })
    }
  }

  #change(slot: string, id: number, fields: Partial<Upload>): void {
    this.#set(
      slot,
      this.list(slot).map((one) => (one.id === id ? { ...one, ...fields } : one)),
    )
  }

  #remove(slot: string, id: number): void {
    this.#waiting.delete(id)
    this.#set(
      slot,
      this.list(slot).filter((one) => one.id !== id),
    )
    this.#insertInOrder(slot)
  }

  #set(slot: string, uploads: readonly Upload[]): void {
    this.#uploads.set(slot, uploads)
    for (const listener of [...this.#listeners]) listener()
  }
}

function tooLarge(bytes: number, most: number): string {
  return t('compose.tooLarge', { size: fileSize(bytes), most: fileSize(most * megabyte) })
}

/** "2.1 MB", "840 kB", as the language writes them. */
export function fileSize(bytes: number): string {
  if (bytes < megabyte) return inUnit('kilobyte', Math.ceil(bytes / 1024))
  const count = bytes / megabyte
  return inUnit('megabyte', count < 10 ? Math.round(count * 10) / 10 : Math.round(count))
}

function inUnit(unit: string, count: number): string {
  return new Intl.NumberFormat(dateLocale(), { style: 'unit', unit }).format(count)
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
    return JSON.parse(text)
  } catch {
    return {}
  }
}
