import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { certificateRequest } from './requests.ts'
import { AcmeProblem, fetchJson, SignedRequests } from './signed-requests.ts'

interface Directory {
  newNonce: string
  newAccount: string
  newOrder: string
  renewalInfo?: string
}

interface Order {
  status: string
  authorizations: string[]
  finalize: string
  certificate?: string
  error?: { detail?: string }
}

interface Authorization {
  status: string
  challenges: { type: string; url: string; token: string; error?: { detail?: string } }[]
}

export type ChallengeType = 'http-01' | 'tls-alpn-01'

export interface Challenge {
  token: string
  keyAuthorization: string
}

const pollMilliseconds = 1000
const longestMilliseconds = 90_000

/** A client for certificate authorities that speak ACME, as Let's Encrypt does. */
export class AcmeClient {
  readonly #directory: Directory
  readonly #requests: SignedRequests
  readonly #dispatcher: Dispatcher

  private constructor(directory: Directory, key: KeyObject, dispatcher: Dispatcher) {
    this.#directory = directory
    this.#dispatcher = dispatcher
    this.#requests = new SignedRequests(key, directory.newNonce, dispatcher)
  }

  /** Finds the account of the key, or creates it. */
  static async open(url: string, key: KeyObject, email: string | undefined, dispatcher: Dispatcher) {
    const client = new AcmeClient(await fetchJson<Directory>(dispatcher, url), key, dispatcher)
    const contact = email === undefined ? {} : { contact: [`mailto:${email}`] }
    const terms = { termsOfServiceAgreed: true, ...contact }
    const { headers } = await client.#requests.post(client.#directory.newAccount, terms)
    client.#requests.account = String(headers.location)
    return client
  }

  /** Returns the chain of a new certificate. `prepare` makes the answer to the challenge reachable. */
  async order(
    host: string,
    key: KeyObject,
    type: ChallengeType,
    prepare: (challenge: Challenge) => Promise<void>,
  ): Promise<string> {
    const identifiers = [{ type: 'dns', value: host }]
    const { body: order, headers } = await this.#requests.post<Order>(this.#directory.newOrder, { identifiers })
    for (const url of order.authorizations) await this.#authorize(url, type, prepare)
    await this.#requests.post(order.finalize, { csr: certificateRequest(host, key).toString('base64url') })
    const { certificate } = await this.#until<Order>(String(headers.location), ({ status }) => status === 'valid')
    return (await this.#requests.post<string>(certificate!)).body
  }

  /** When the authority wants the certificate to be renewed (RFC 9773); undefined if it does not say. */
  async suggestedRenewal(certificateId: string): Promise<{ start: string; end: string } | undefined> {
    const { renewalInfo } = this.#directory
    if (renewalInfo === undefined) return undefined
    const url = `${renewalInfo}/${certificateId}`
    const { suggestedWindow } = await fetchJson<{ suggestedWindow: { start: string; end: string } }>(
      this.#dispatcher,
      url,
    )
    return suggestedWindow
  }

  async #authorize(url: string, type: ChallengeType, prepare: (challenge: Challenge) => Promise<void>): Promise<void> {
    const { body } = await this.#requests.post<Authorization>(url)
    if (body.status === 'valid') return
    const challenge = body.challenges.find((one) => one.type === type)
    if (!challenge) throw new AcmeProblem('', `the authority does not offer the challenge ${type}`)
    const { token } = challenge
    await prepare({ token, keyAuthorization: this.#requests.keyAuthorization(token) })
    await this.#requests.post(challenge.url, {})
    await this.#until<Authorization>(url, ({ status }) => status === 'valid')
  }

  async #until<Body extends Order | Authorization>(url: string, isDone: (body: Body) => boolean): Promise<Body> {
    const deadline = Date.now() + longestMilliseconds
    for (;;) {
      const { body } = await this.#requests.post<Body>(url)
      if (isDone(body)) return body
      if (body.status === 'invalid') throw new AcmeProblem('', reasonIn(body))
      if (Date.now() > deadline) throw new AcmeProblem('', 'the authority did not decide in time')
      await sleep(pollMilliseconds)
    }
  }
}

function reasonIn(body: Order | Authorization): string {
  const errors = 'challenges' in body ? body.challenges.map(({ error }) => error) : [body.error]
  return errors.find((error) => error?.detail)?.detail?.slice(0, 500) ?? 'the authority refused the order'
}
