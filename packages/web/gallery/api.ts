type Params = Record<string, unknown>
export type Answer = Record<string, unknown>

/** The API of the server, as one user. States of the gallery name what they call, so nothing of the client is needed. */
export class Api {
  readonly #url: string
  readonly #authorization: string
  readonly email: string

  constructor(url: string, email: string, key: string) {
    this.#url = url
    this.email = email
    this.#authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`
  }

  static async signIn(url: string, email: string): Promise<Api> {
    const body = new URLSearchParams({ username: email })
    const answer = await read(await fetch(`${url}/api/v1/dev_fetch_api_key`, { method: 'POST', body }))
    return new Api(url, email, String(answer.api_key))
  }

  get(path: string): Promise<Answer> {
    return this.#request('GET', path)
  }

  post(path: string, params: Params = {}): Promise<Answer> {
    return this.#request('POST', path, formOf(params))
  }

  patch(path: string, params: Params): Promise<Answer> {
    return this.#request('PATCH', path, formOf(params))
  }

  /** Returns the URL of an upload, or undefined where a path has none. */
  async upload(path: string, name: string, bytes: Uint8Array, type: string): Promise<string> {
    const body = new FormData()
    body.set('file', new File([new Uint8Array(bytes)], name, { type }))
    return String((await this.#request('POST', path, body)).url)
  }

  async #request(method: string, path: string, body?: URLSearchParams | FormData): Promise<Answer> {
    const headers = { authorization: this.#authorization, 'user-agent': 'Parley gallery' }
    return read(await fetch(`${this.#url}/api/v1${path}`, { method, headers, ...(body && { body }) }))
  }
}

function formOf(params: Params): URLSearchParams {
  const entries = Object.entries(params)
  return new URLSearchParams(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}
