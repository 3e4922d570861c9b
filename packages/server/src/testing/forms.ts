import type { World } from './world.ts'

type Sent = Record<string, string>

/** A browser that sends the forms of our pages, without running scripts. It keeps its cookies. */
export class FormBrowser {
  readonly #world: Pick<World, 'app' | 'host'>
  readonly #cookies = new Map<string, string>()

  constructor(world: Pick<World, 'app' | 'host'>) {
    this.#world = world
  }

  get cookie(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ')
  }

  async open(url: string) {
    const { app, host } = this.#world
    return this.#keep(await app.inject({ url, headers: { host, cookie: this.cookie, accept: 'text/html' } }))
  }

  async post(url: string, form: Sent, headers: Sent = {}) {
    const { app, host } = this.#world
    const own = { origin: `https://${host}`, 'sec-fetch-site': 'same-origin', cookie: this.cookie }
    const type = 'application/x-www-form-urlencoded'
    const payload = new URLSearchParams(form).toString()
    return this.#keep(
      await app.inject({
        method: 'POST',
        url,
        payload,
        headers: { host, 'content-type': type, ...own, ...headers },
      }),
    )
  }

  #keep<T extends { headers: Record<string, unknown> }>(response: T): T {
    for (const line of [response.headers['set-cookie'] ?? []].flat() as string[]) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (/Max-Age=0/.test(line)) this.#cookies.delete(name!)
      else this.#cookies.set(name!, value!)
    }
    return response
  }
}

/** The value of a hidden field in a page. */
export function hiddenField(body: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1] ?? ''
}

/** Where the button leads that opens the app. */
export function appUrlIn(page: string): URL {
  return new URL(/href="(zulip:\/\/login\?[^"]*)"/.exec(page)![1]!.replaceAll('&amp;', '&'))
}
