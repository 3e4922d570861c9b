import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, type Dispatcher, errors, request } from 'undici'
import { type InternalHosts, isPublic } from './ip-addresses.ts'

export interface GuardedRequest {
  url: string
  internal: InternalHosts
  timeoutMilliseconds?: number
  signal?: AbortSignal
}

export interface OutgoingRequest extends GuardedRequest {
  headers: Record<string, string>
  body: string | Buffer
}

interface Exchange extends GuardedRequest {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Buffer
  largestAnswer: number
}

interface Answer {
  status: number
  bytes: Buffer
  /** Whether it came from an internal host that the operator allows: then users must not see it. */
  isInternal: boolean
  /** How long the host asks to wait before the next request. */
  retryAfterSeconds: number | undefined
}

export interface OutgoingAnswer extends Omit<Answer, 'bytes'> {
  body: string
}

/** Why there is no response. `again`: a retry may succeed. */
export class OutgoingFailure extends Error {
  readonly again: boolean

  constructor(message: string, again: boolean, cause?: unknown) {
    super(message, { cause })
    this.again = again
  }
}

const defaultTimeout = 10_000
const largestAnswer = 64 * 1024
const usualPorts = new Set(['', '80', '443'])

/**
 * The only way to send a request to a URL that a user chose. The host name is resolved here, every IP address must be
 * public (or allowed by the operator), and the connection goes to the IP address that was checked. Redirects are not
 * followed, and slow or endless responses are aborted.
 */
async function guarded(outgoing: Exchange): Promise<Answer> {
  const timeout = AbortSignal.timeout(outgoing.timeoutMilliseconds ?? defaultTimeout)
  const signal = outgoing.signal ? AbortSignal.any([timeout, outgoing.signal]) : timeout
  try {
    return await exchange(outgoing, signal)
  } catch (error) {
    if (error instanceof OutgoingFailure) throw error
    if (signal.aborted) throw new OutgoingFailure('The request timed out.', true, error)
    throw failureOf(error)
  }
}

export async function guardedPost(outgoing: OutgoingRequest): Promise<OutgoingAnswer> {
  const { bytes, ...answer } = await guarded({ ...outgoing, method: 'POST', largestAnswer })
  return { ...answer, body: bytes.toString('utf8') }
}

/** The bytes at a URL. Throws if there are none, or more than the limit. */
export async function guardedGet(wanted: GuardedRequest & { limit: number }): Promise<Buffer> {
  const { status, bytes } = await guarded({ ...wanted, method: 'GET', largestAnswer: wanted.limit })
  if (status !== 200) throw new OutgoingFailure(`The answer has status ${status}.`, status >= 500)
  return bytes
}

interface Checked {
  addresses: string[]
  isInternal: boolean
}

async function exchange(outgoing: Exchange, signal: AbortSignal): Promise<Answer> {
  const { method, body = null } = outgoing
  const url = new URL(outgoing.url)
  const checked = await unlessAborted(signal, checkHost(url, outgoing.internal))
  if (!checked.isInternal && !usualPorts.has(url.port))
    throw new OutgoingFailure(`Port ${url.port} is not allowed.`, false)
  const dispatcher = new Agent({ connect: { lookup: pinnedTo(checked.addresses), timeout: defaultTimeout } })
  try {
    const answer = await request(url, {
      method,
      body,
      dispatcher,
      signal,
      headers: { 'accept-encoding': 'identity', ...outgoing.headers },
    })
    return {
      status: answer.statusCode,
      bytes: await readBody(answer.body, outgoing.largestAnswer),
      isInternal: checked.isInternal,
      retryAfterSeconds: retryAfter(answer.headers['retry-after']),
    }
  } finally {
    void dispatcher.destroy()
  }
}

/** Every IP address of the host must be allowed, because any of them may be used. */
async function checkHost(url: URL, internal: InternalHosts): Promise<Checked> {
  const name = url.hostname.replace(/^\[|\]$|\.$/g, '')
  const found = isIP(name) ? [name] : (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address)
  const inside = found.filter((address) => !isPublic(address))
  if (found.length === 0 || inside.some((address) => !internal.admit(name, address)))
    throw new OutgoingFailure('The address is not on the public internet.', false)
  return { addresses: found, isInternal: inside.length > 0 }
}

/** A DNS lookup that always returns the IP addresses that were checked. */
function pinnedTo(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, options, done) => {
    if (options.all) done(null, found)
    else done(null, found[0]!.address, found[0]!.family)
  }
}

/** Seconds, or an HTTP date. */
function retryAfter(value: string | string[] | undefined): number | undefined {
  const text = String(value ?? '').trim()
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return seconds > 0 ? seconds : undefined
}

async function readBody(body: Dispatcher.ResponseData['body'], limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new OutgoingFailure('The answer is too large.', false)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A DNS lookup cannot be cancelled, but we can stop waiting for it. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

function failureOf(error: unknown): OutgoingFailure {
  const { code = '', message } = error as NodeJS.ErrnoException
  const isConnection = /^(E[A-Z]|UND_ERR_(SOCKET|CONNECT|HEADERS_TIMEOUT|BODY_TIMEOUT))/.test(code)
  const isTls = /CERT|TLS|SSL/.test(code)
  if (isConnection && !code.startsWith('ERR_')) return new OutgoingFailure('The connection failed.', true, error)
  if (isTls) return new OutgoingFailure('The connection cannot be secured.', true, error)
  if (error instanceof errors.UndiciError) return new OutgoingFailure('The answer is not HTTP.', false, error)
  return new OutgoingFailure(`The request failed: ${message}`, false, error)
}
