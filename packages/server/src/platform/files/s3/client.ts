import type { Readable } from 'node:stream'
import { Agent, type Dispatcher, request } from 'undici'
import type { S3Location } from './location.ts'
import { sha256, signedHeaders } from './s3-signature.ts'

/** The service answered with an error. */
export class S3Refusal extends Error {
  readonly status: number

  constructor(status: number, code: string) {
    super(`the file storage answered ${status}${code && ` ${code}`}`)
    this.status = status
  }
}

export interface S3Request {
  query?: Record<string, string>
  headers?: Record<string, string>
  /** A stream needs its `size`, because S3 wants the length before the content. */
  body?: Buffer | { stream: Readable; size: number }
  signal?: AbortSignal
}

/** A store that does not react for so long counts as gone. */
const defaultTimeouts = { connect: 5000, silence: 15_000 }
export type Timeouts = typeof defaultTimeouts

/** Sends signed requests to one bucket. */
export class S3Client {
  readonly #location: S3Location
  readonly #agent: Agent

  constructor(location: S3Location, { connect, silence }: Timeouts = defaultTimeouts) {
    this.#location = location
    this.#agent = new Agent({ connect: { timeout: connect }, headersTimeout: silence, bodyTimeout: silence })
  }

  /** Resolves with a successful response. The caller must read or `dump` its body. */
  async send(method: Dispatcher.HttpMethod, key: string, params: S3Request = {}): Promise<Dispatcher.ResponseData> {
    const response = await this.#attempt(method, key, params).catch((error: Error) => {
      // The service may have closed an idle connection just now; a stream is already consumed.
      if (!isClosedConnection(error) || (params.body && !Buffer.isBuffer(params.body))) throw error
      return this.#attempt(method, key, params)
    })
    if (response.statusCode < 300) return response
    throw new S3Refusal(response.statusCode, elementOf(await response.body.text(), 'Code') ?? '')
  }

  #attempt(method: Dispatcher.HttpMethod, key: string, { query, headers, body, signal }: S3Request) {
    const { bucketUrl, region, credentials } = this.#location
    const url = new URL(key === '' ? bucketUrl : `${bucketUrl}/${key}`)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const [content, length, payloadHash] = payloadOf(body)
    const all = { ...headers, ...(length !== undefined && { 'content-length': String(length) }) }
    return request(url, {
      method,
      headers: signedHeaders({ method, url, headers: all, payloadHash }, credentials, region),
      body: content,
      dispatcher: this.#agent,
      ...(signal && { signal }),
    })
  }
}

/** The body, its length and its hash. The hash of a stream would be known only after it was sent. */
function payloadOf(body: S3Request['body']): [Buffer | Readable | null, number | undefined, string] {
  if (body === undefined) return [null, undefined, sha256('')]
  if (Buffer.isBuffer(body)) return [body, body.length, sha256(body)]
  return [body.stream, body.size, 'UNSIGNED-PAYLOAD']
}

function isClosedConnection(error: Error & { code?: string }): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(error.code ?? '')
}

/** The text of the first element with the name. */
export function elementOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
}

/** The content of all elements with the name, which do not contain each other. */
export function elementsOf(xml: string, name: string): string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .flatMap((rest) => {
      const end = rest.indexOf(`</${name}>`)
      return end === -1 ? [] : [rest.slice(0, end)]
    })
}
