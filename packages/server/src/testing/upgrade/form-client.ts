/** What the programs of this folder call: only what every version understands. */
export class FormClient {
  readonly #url: string
  #headers: Record<string, string> = {}

  constructor(url: string) {
    this.#url = url
  }

  async signIn(username: string, password: string): Promise<string> {
    const { api_key } = await this.post<{ api_key: string }>('/fetch_api_key', { username, password })
    this.useKey(username, api_key)
    return api_key
  }

  useKey(email: string, apiKey: string): void {
    this.#headers = { authorization: `Basic ${btoa(`${email}:${apiKey}`)}` }
  }

  post<T = unknown>(path: string, form: Record<string, string>): Promise<T> {
    return this.#call('POST', path, new URLSearchParams(form))
  }

  get<T>(path: string): Promise<T> {
    return this.#call('GET', path)
  }

  upload(name: string, content: string): Promise<{ url: string }> {
    const form = new FormData()
    form.append('file', new Blob([content]), name)
    return this.#call('POST', '/user_uploads', form)
  }

  async download(path: string): Promise<string> {
    const response = await fetch(`${this.#url}${path}`, { headers: this.#headers })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.text()
  }

  async #call<T>(method: string, path: string, body?: URLSearchParams | FormData): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1${path}`, { method, headers: this.#headers, body: body ?? null })
    const answer = (await response.json()) as { result: string }
    if (answer.result !== 'success') throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer as T
  }
}

export const allMessages = '/messages?anchor=newest&num_before=5000&num_after=0&apply_markdown=false'

export interface FoundMessage {
  id: number
  content: string
  reactions: { emoji_name: string }[]
}
