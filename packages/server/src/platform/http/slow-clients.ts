import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const sweepMilliseconds = 1000
/** Longer than the idle time of common proxies, which would otherwise send a request into a connection that closes. */
const idleMilliseconds = 75_000
/** In every window a client must read its share of the backlog, or it is disconnected. */
const windowMilliseconds = 30_000
/** 4 KiB/s, what the slowest mobile networks manage. */
const leastPerWindow = 120 * 1024
/** Large backlogs must be read within this many windows. */
const mostWindows = 10

export interface UnsentLimits {
  /** Unread bytes of all clients of the process together. */
  total: number
  /** Unread bytes of one user. The newest response may exceed it, so that any response can be read at all. */
  perUser: number
}

export type CutReason = 'deadline' | 'user' | 'process'

interface Connection {
  socket: Socket
  /** The owner of the bytes: a user or an IP network. */
  owner: string
  unsent: number
  /** The owner that `unsent` is counted for. */
  counted: string
  /** When the first unsent bytes appeared; the oldest connections are reset first. */
  since: number
  window: { start: number; delivered: number; unsent: number } | undefined
  /** Requests that are being answered. */
  active: number
  /** When the last response was complete. */
  idleSince: number
  /** Responses to pipelined requests, which wait in memory for their turn. */
  queued: Set<ServerResponse> | undefined
}

/**
 * Limits the memory and the time of responses that clients do not read, and the time between requests. It watches
 * connections instead of responses, so it covers everything that is sent, by the framework or beside it, whole or as a
 * stream.
 */
export class SlowClients {
  readonly #limits: UnsentLimits
  readonly #onCut: (reason: CutReason) => void
  readonly #connections = new Map<Socket, Connection>()
  readonly #byOwner = new Map<string, number>()
  /** Runs while there are connections. */
  #sweeper: NodeJS.Timeout | undefined
  #sweptAt = performance.now()
  #unsent = 0

  constructor(limits: UnsentLimits, onCut: (reason: CutReason) => void = () => {}) {
    this.#limits = limits
    this.#onCut = onCut
  }

  /**
   * Watches a server that has all its request listeners. Node would set a timer after every response, and clear it before
   * the next one: an eighth of the cost of a small request. The sweep closes idle connections instead.
   */
  watch(server: Server): void {
    server.keepAliveTimeout = 0
    server.on('connection', (socket) => this.#add(socket))
    server.prependListener('request', ({ socket }, response) => this.#watchResponse(socket, response))
  }

  /** Sets the owner of the following responses on a connection. */
  attribute(socket: Socket, owner: string): void {
    const connection = this.#connections.get(socket)
    if (connection) connection.owner = owner
  }

  get unsentBytes(): number {
    return this.#unsent
  }

  close(): void {
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }

  /** Measures every connection and resets those that are too slow or hold too much. */
  sweep(now = performance.now()): void {
    this.#sweptAt = now
    for (const connection of this.#connections.values()) {
      this.#measure(connection, now)
      if (isIdle(connection, now)) connection.socket.destroy()
      if (isTooSlow(connection, now)) this.#cut(connection, 'deadline')
    }
    for (const [owner, bytes] of this.#byOwner) if (bytes > this.#limits.perUser) this.#trimOwner(owner)
    if (this.#unsent > this.#limits.total) this.#trimAll()
  }

  #add(socket: Socket): void {
    this.#sweptAt = performance.now()
    const owner = socket.remoteAddress ?? ''
    const unread = { unsent: 0, counted: owner, since: 0, window: undefined, queued: undefined }
    const connection = { socket, owner, ...unread, active: 0, idleSince: Number.POSITIVE_INFINITY }
    this.#connections.set(socket, connection)
    this.#sweeper ??= setInterval(() => this.sweep(), sweepMilliseconds).unref()
    socket.once('close', () => this.#remove(connection))
  }

  #remove(connection: Connection): void {
    this.#count(connection, 0)
    this.#connections.delete(connection.socket)
    if (this.#connections.size === 0) this.close()
  }

  /** A complete response is measured as soon as it is handed to the socket, so that the limits hold at any moment. */
  measure(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection) this.#written(connection)
  }

  #watchResponse(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket)
    if (!connection) return
    if (response.socket === null) queue(connection, response)
    connection.active += 1
    response.once('prefinish', () => {
      connection.active -= 1
      connection.idleSince = this.#sweptAt
      this.#written(connection)
    })
  }

  #written(connection: Connection): void {
    const before = connection.unsent
    if (before === 0 && unsentBytes(connection) === 0) return
    this.#measure(connection, performance.now())
    if (connection.unsent <= before) return
    const ofOwner = this.#byOwner.get(connection.counted) ?? 0
    // Earlier measurements may be outdated: only a sweep knows.
    if (ofOwner > this.#limits.perUser || this.#unsent > this.#limits.total) this.sweep()
  }

  #measure(connection: Connection, now: number): void {
    const unsent = unsentBytes(connection)
    if (connection.unsent === 0 && unsent > 0) connection.since = now
    this.#count(connection, unsent)
  }

  #count(connection: Connection, unsent: number): void {
    this.#addTo(connection.counted, -connection.unsent)
    connection.counted = connection.owner
    connection.unsent = unsent
    this.#addTo(connection.counted, unsent)
  }

  #addTo(owner: string, bytes: number): void {
    if (bytes === 0) return
    this.#unsent += bytes
    const sum = (this.#byOwner.get(owner) ?? 0) + bytes
    if (sum === 0) this.#byOwner.delete(owner)
    else this.#byOwner.set(owner, sum)
  }

  #trimOwner(owner: string): void {
    const oldest = this.#unread().filter(({ counted }) => counted === owner)
    for (const connection of oldest.slice(0, -1)) {
      if ((this.#byOwner.get(owner) ?? 0) <= this.#limits.perUser) return
      this.#cut(connection, 'user')
    }
  }

  /** Owners with the most unread bytes are reset first. */
  #trimAll(): void {
    const byOwner = Map.groupBy(this.#unread(), ({ counted }) => counted)
    const owners = [...byOwner.keys()].sort((a, b) => this.#byOwner.get(b)! - this.#byOwner.get(a)!)
    for (const connection of owners.flatMap((owner) => byOwner.get(owner)!)) {
      if (this.#unsent <= this.#limits.total) return
      this.#cut(connection, 'process')
    }
  }

  #unread(): Connection[] {
    return [...this.#connections.values()].filter(({ unsent }) => unsent > 0).sort((a, b) => a.since - b.since)
  }

  /** Resets the connection: after a plain close the kernel would keep sending what it has buffered. */
  #cut(connection: Connection, reason: CutReason): void {
    this.#remove(connection)
    connection.socket.resetAndDestroy()
    this.#onCut(reason)
  }
}

function queue(connection: Connection, response: ServerResponse): void {
  connection.queued ??= new Set()
  connection.queued.add(response)
  response.once('close', () => connection.queued!.delete(response))
}

function unsentBytes({ socket, queued }: Connection): number {
  let bytes = socket.writableLength
  if (queued) for (const response of queued) if (response.socket === null) bytes += response.writableLength
  return bytes
}

/** Before its first request, a connection has the time that Node gives for headers. */
function isIdle({ active, unsent, idleSince }: Connection, now: number): boolean {
  return active === 0 && unsent === 0 && now - idleSince > idleMilliseconds + sweepMilliseconds
}

function isTooSlow(connection: Connection, now: number): boolean {
  const { socket, unsent, window } = connection
  if (unsent === 0) connection.window = undefined
  else if (!window || now - window.start >= windowMilliseconds) {
    const delivered = deliveredBytes(socket)
    connection.window = { start: now, delivered, unsent }
    return window !== undefined && delivered - window.delivered < sharePerWindow(window.unsent)
  }
  return false
}

function sharePerWindow(unsent: number): number {
  return Math.min(unsent, Math.max(leastPerWindow, unsent / mostWindows))
}

/**
 * Bytes that the kernel has taken. Only the handle knows how much of one large chunk that is; `net` uses it as well to
 * tell a slow socket from an idle one.
 */
function deliveredBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
