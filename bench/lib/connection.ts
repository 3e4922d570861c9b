import { connect, type Socket } from 'node:net'

/**
 * A keep-alive HTTP connection that costs the driver as little as possible: requests are prepared bytes, responses are
 * read up to their Content-Length and not parsed.
 */
export class Connection {
  readonly #socket: Socket
  #buffered: Buffer = Buffer.alloc(0)
  #waiting: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#waiting?.reject(error))
    socket.on('close', () => this.#waiting?.reject(new Error('connection closed')))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)))
      socket.once('error', reject)
    })
  }

  /** Sends a request and resolves with the response body. One at a time. */
  ask(request: Buffer | string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#buffered = this.#buffered.length > 0 ? Buffer.concat([this.#buffered, chunk]) : chunk
    const end = this.#buffered.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = contentLength(this.#buffered.subarray(0, end))
    if (this.#buffered.length < end + 4 + length) return
    const body = this.#buffered.subarray(end + 4, end + 4 + length)
    this.#buffered = this.#buffered.subarray(end + 4 + length)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(body)
  }
}

function contentLength(head: Buffer): number {
  const match = /content-length: (\d+)/i.exec(head.toString('latin1'))
  return match ? Number(match[1]) : 0
}

export interface RequestOptions {
  method: string
  path: string
  host: string
  authorization: string
  form?: Record<string, string>
}

/** The bytes of a request. */
export function requestText({ method, path, host, authorization, form }: RequestOptions): string {
  const body = form ? new URLSearchParams(form).toString() : ''
  const headers = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: ${authorization}`,
    'User-Agent: ParleyBench/1.0',
    ...(form ? ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${Buffer.byteLength(body)}`] : []),
  ]
  return `${headers.join('\r\n')}\r\n\r\n${body}`
}
