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
  /** What comes after the limit is not read. Otherwise, a larger response is a failure. */
  isCut?: boolean
}

interface Answer {
  status: number
  bytes: Buffer
  /** Whether it came from an internal host that the operator allows: then users must not see it. */
  isInternal: boolean
  /** How long the host asks to wait before the next request. */
  retryAfterSeconds: number | undefined
  location: string | undefined
  contentType: string
}

export interface OutgoingAnswer extends Omit<Answer, 'bytes' | 'location' | 'contentType'> {
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
  const {
    bytes,
    location: _,
    contentType: __,
    ...answer
  } = await guarded({ ...outgoing, method: 'POST', largestAnswer })
  return { ...answer, body: bytes.toString('utf8') }
}

/** The bytes at a URL. Throws if there are none, or more than the limit. */
export async function guardedGet(wanted: GuardedRequest & { limit: number }): Promise<Buffer> {
  const { status, bytes } = await guarded({ ...wanted, method: 'GET', largestAnswer: wanted.limit })
  if (status !== 200) throw new OutgoingFailure(`The answer has status ${status}.`, status >= 500)
  return bytes
}

export interface Page {
  /** After redirects. */
  url: string
  contentType: string
  bytes: Buffer
}

interface PageRequest extends GuardedRequest {
  limit: number
  headers: Record<string, string>
  isCut: boolean
}

const maxRedirects = 3

/** What is at a URL that a user wrote. Follows redirects; each is checked like the first URL. */
export async function guardedPage(wanted: PageRequest): Promise<Page> {
  const { limit, timeoutMilliseconds = defaultTimeout, signal: stopping, ...more } = wanted
  const timeout = AbortSignal.timeout(timeoutMilliseconds)
  const signal = stopping ? AbortSignal.any([timeout, stopping]) : timeout
  let { url } = wanted
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await guarded({ ...more, url, signal, timeoutMilliseconds, method: 'GET', largestAnswer: limit })
    const { status, location, contentType, bytes } = answer
    if (status === 200) return { url, contentType, bytes }
    if (status < 301 || status > 308 || location === undefined)
      throw new OutgoingFailure(`The answer has status ${status}.`, status >= 500)
    url = redirected(url, location)
  }
  throw new OutgoingFailure('The address redirects too often.', false)
}

function redirected(from: string, location: string): string {
  const url = URL.parse(location, from)
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && from.startsWith('http:'))
  if (!url || !isWeb || url.username !== '' || url.password !== '')
    throw new OutgoingFailure('The address redirects to one that is not allowed.', false)
  return url.href
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
      bytes: await readBody(answer.body, outgoing),
      isInternal: checked.isInternal,
      retryAfterSeconds: retryAfter(answer.headers['retry-after']),
      location: [answer.headers.location ?? []].flat()[0],
      contentType: [answer.headers['content-type'] ?? ''].flat()[0]!,
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

type Limits = Pick<Exchange, 'largestAnswer' | 'isCut'>

async function readBody(body: Dispatcher.ResponseData['body'], { largestAnswer, isCut }: Limits): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestAnswer && !isCut) throw new OutgoingFailure('The answer is too large.', false)
    chunks.push(chunk)
    if (size > largestAnswer) break
  }
  return Buffer.concat(chunks).subarray(0, largestAnswer)
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
