import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { Agent, type Dispatcher, request } from 'undici'

/** What a certificate authority answered instead of what was asked for. */
export class AcmeProblem extends Error {
  readonly type: string

  constructor(type: string, detail: string) {
    super(detail)
    this.type = type
  }
}

export interface AcmeAnswer<Body> {
  body: Body
  headers: Record<string, string | string[] | undefined>
}

const seconds = 20
const largestAnswer = 256 * 1024
/** Authorities may refuse any nonce at any time. */
const attempts = 5

/** Sends the signed requests of an ACME account (RFC 8555, part 6). */
export class SignedRequests {
  readonly #key: KeyObject
  readonly #newNonceUrl: string
  readonly #dispatcher: Dispatcher
  #nonce: string | undefined
  /** The URL of the account, once it is known. */
  account: string | undefined

  constructor(key: KeyObject, newNonceUrl: string, dispatcher: Dispatcher) {
    this.#key = key
    this.#newNonceUrl = newNonceUrl
    this.#dispatcher = dispatcher
  }

  /** Without a payload, only reads. */
  async post<Body>(url: string, payload?: object): Promise<AcmeAnswer<Body>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#postOnce<Body>(url, payload)
      } catch (error) {
        const mayRepeat = error instanceof AcmeProblem && error.type.endsWith(':badNonce') && attempt < attempts
        if (!mayRepeat) throw error
      }
    }
  }

  /** What proves to the authority that this account answers the challenge. */
  keyAuthorization(token: string): string {
    return `${token}.${createHash('sha256').update(JSON.stringify(this.#jwk())).digest('base64url')}`
  }

  async #postOnce<Body>(url: string, payload: object | undefined): Promise<AcmeAnswer<Body>> {
    this.#nonce ??= (await fetchLimited(this.#dispatcher, 'HEAD', this.#newNonceUrl)).nonce
    const who = this.account ? { kid: this.account } : { jwk: this.#jwk() }
    const head = encode({ alg: 'ES256', nonce: this.#nonce, url, ...who })
    const body = payload === undefined ? '' : encode(payload)
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key: this.#key, dsaEncoding: 'ieee-p1363' })
    const sent = JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') })
    const answer = await fetchLimited(this.#dispatcher, 'POST', url, sent)
    this.#nonce = answer.nonce
    return { headers: answer.headers, body: readAnswer<Body>(answer.status, answer.text) }
  }

  /** Its members in alphabetical order, because its hash is the name of the key. */
  #jwk() {
    const { crv, kty, x, y } = createPublicKey(this.#key).export({ format: 'jwk' })
    return { crv, kty, x, y }
  }
}

export function dispatcherFor(ca: string | undefined): Dispatcher {
  return new Agent({ connect: { ...(ca !== undefined && { ca }), timeout: seconds * 1000 } })
}

export async function fetchJson<Body>(dispatcher: Dispatcher, url: string): Promise<Body> {
  const { status, text } = await fetchLimited(dispatcher, 'GET', url)
  return readAnswer<Body>(status, text)
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function readAnswer<Body>(status: number, text: string): Body {
  const body = text.startsWith('{') ? JSON.parse(text) : text
  if (status < 300) return body as Body
  const { type = '', detail = `the authority answered ${status}` } = body as { type?: string; detail?: string }
  throw new AcmeProblem(String(type), String(detail).slice(0, 500))
}

async function fetchLimited(dispatcher: Dispatcher, method: 'GET' | 'HEAD' | 'POST', url: string, body?: string) {
  const answer = await request(url, {
    dispatcher,
    method,
    body: body ?? null,
    headers: { 'user-agent': 'Parley', ...(body && { 'content-type': 'application/jose+json' }) },
    signal: AbortSignal.timeout(seconds * 1000),
  })
  let text = ''
  for await (const chunk of answer.body.setEncoding('utf8')) {
    text += chunk
    if (text.length > largestAnswer) throw new Error('the authority sent too much')
  }
  const nonce = answer.headers['replay-nonce']
  return { status: answer.statusCode, headers: answer.headers, text, nonce: nonce && String(nonce) }
}
