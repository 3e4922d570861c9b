import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

interface Link {
  client: Socket
  upstream: Socket
  isFrozen: boolean
  held: Buffer[]
}

/** A TCP proxy in front of PostgreSQL that can freeze connections: it keeps them open and swallows all bytes. */
export class FreezingProxy {
  readonly url: string
  readonly #server: Server
  readonly #links = new Set<Link>()
  #trap: { text: string; passesRequest: boolean } | undefined
  #refusesNew = false

  private constructor(databaseUrl: string, server: Server) {
    const { hostname, port, searchParams } = new URL(databaseUrl)
    const folder = searchParams.get('host')
    const target = folder ? { path: `${folder}/.s.PGSQL.${port || 5432}` } : { host: hostname, port: Number(port) }
    const own = new URL(databaseUrl)
    own.searchParams.delete('host')
    own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    this.url = own.toString()
    this.#server = server
    server.on('connection', (client) => (this.#refusesNew ? client.destroy() : this.#join(client, connect(target))))
  }

  static async start(t: TestContext, databaseUrl: string): Promise<FreezingProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxy = new FreezingProxy(databaseUrl, server)
    t.after(() => proxy.#close())
    return proxy
  }

  /** Freezes the connection of the next request with this text: the request arrives, the answer does not. */
  freezeAnswerTo(text: string): void {
    this.#trap = { text, passesRequest: true }
  }

  /** Freezes the connection of the next request with this text before the request arrives. */
  freezeRequest(text: string): void {
    this.#trap = { text, passesRequest: false }
  }

  /** Whether a request was caught. */
  get isSprung(): boolean {
    return this.#trap === undefined
  }

  freezeAll(): void {
    for (const link of this.#links) link.isFrozen = true
  }

  refuseNew(refuses: boolean): void {
    this.#refusesNew = refuses
  }

  /** Lets the requests that were held back arrive, as a network does that was only slow. */
  releaseRequests(): void {
    for (const { upstream, held } of this.#links) for (const bytes of held.splice(0)) upstream.write(bytes)
  }

  #join(client: Socket, upstream: Socket): void {
    const link: Link = { client, upstream, isFrozen: false, held: [] }
    this.#links.add(link)
    client.on('data', (bytes) => this.#forward(link, bytes))
    upstream.on('data', (bytes) => link.isFrozen || client.write(bytes))
    // A frozen connection stays open on the other side, as after a power cut.
    for (const [from, to] of [[client, upstream] as const, [upstream, client] as const])
      from.on('error', () => {}).on('close', () => link.isFrozen || to.destroy())
  }

  #forward(link: Link, bytes: Buffer): void {
    const trap = this.#trap
    if (!link.isFrozen && trap && bytes.includes(trap.text)) {
      this.#trap = undefined
      link.isFrozen = true
      if (trap.passesRequest) link.upstream.write(bytes)
      else link.held.push(bytes)
    } else if (link.isFrozen) link.held.push(bytes)
    else link.upstream.write(bytes)
  }

  #close(): void {
    this.#server.close()
    for (const { client, upstream } of this.#links) {
      client.destroy()
      upstream.destroy()
    }
  }
}
