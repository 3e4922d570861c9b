import assert from 'node:assert/strict'
import { after } from 'node:test'
import { ParleyClient } from '@parley/client/wire/client'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { tempFolder } from '../../server/src/platform/postgres/test-support.ts'
import { browserTest, type OpenPage } from '../../server/src/testing/browser.ts'
import { type Program, runParley, startParley } from '../../server/src/testing/program.ts'
import { until } from '../../server/src/testing/until.ts'
import { createDatabase } from '../../server/src/testing/world.ts'

/** Called within a test, `after` would mean the end of that test. */
const hooks: (() => Promise<void>)[] = []
const file = { after: (hook: () => Promise<void>) => void hooks.push(hook) }
after(async () => {
  for (const hook of hooks) await hook()
})
const secret = 'a secret only for the journeys of Parley'

/** The demo in a process of its own, so that a journey can kill it. */
export class Demo {
  #program: Program
  readonly #env: Record<string, string>
  readonly url: string

  constructor(program: Program, env: Record<string, string>) {
    this.#program = program
    this.#env = env
    this.url = program.url
  }

  static async start(): Promise<Demo> {
    const env = {
      DATABASE_URL: await createDatabase(),
      DATA_DIR: tempFolder(file),
      SECRET_KEY: secret,
      RATE_LIMIT: '0',
      WEB_CLIENT: 'on',
    }
    return new Demo(await startParley(file, ['--demo'], { env }), env)
  }

  /** Writes what no client could create in a reasonable time. */
  async sql(text: string, values: unknown[] = []): Promise<void> {
    const client = new pg.Client({ connectionString: this.#env.DATABASE_URL! })
    await client.connect()
    await client.query(text, values)
    await client.end()
  }

  /** What the operator types. */
  async command(...args: string[]): Promise<void> {
    const { code, output } = await runParley(file, args, { env: this.#env })
    assert.equal(code, 0, output)
  }

  /** Without a chance to finish anything. */
  async kill(): Promise<void> {
    this.#program.signal('SIGKILL')
    await this.#program.ended()
  }

  /** At the same URL. */
  async restart(): Promise<void> {
    this.#program = await startParley(file, ['--demo'], { env: { ...this.#env, PORT: new URL(this.url).port } })
  }

  /** A client of the API, for what other users do at the same time. */
  async as(person: string): Promise<ParleyClient> {
    const email = `${person}@example.com`
    const { api_key } = await new ParleyClient({ site: this.url }).call('devFetchApiKey', { username: email })
    return new ParleyClient({ site: this.url, email, key: api_key })
  }
}

let demo: Promise<Demo> | undefined

export interface Journey {
  demo: Demo
  open: OpenPage
  /** Signs in by picking an account of the demo, and goes to a screen. */
  signIn(name: string, hash?: string, options?: Parameters<OpenPage>[1]): Promise<Page>
}

/** A test in a browser that is signed in to the demo. The tests of a file share the server. */
export function journey(name: string, run: (journey: Journey) => Promise<void>): void {
  browserTest(name, async (open) => {
    demo ??= Demo.start()
    const running = await demo
    const signIn: Journey['signIn'] = async (person, hash = '#inbox', options = {}) => {
      const page = await open(`${running.url}/login`, options)
      await page.click(`.person:has-text("${person}")`)
      await until(async () => (await page.request.get(running.url)).ok())
      await page.goto('about:blank') // otherwise only the hash changes, also on the page that waits for the build
      await page.goto(`${running.url}/${hash}`)
      await page.waitForSelector('.app')
      return page
    }
    await run({ demo: running, open, signIn })
  })
}

/** The row of a message with this text. */
export function messageWith(page: Page, text: string) {
  return page.locator('article.msg', { hasText: text })
}

/** Opens a topic by a link as other clients write it. */
export async function openTopic(page: Page, demoServer: Demo, channel: string, topic: string): Promise<void> {
  const { stream_id } = await (await demoServer.as('member')).call('getChannelId', { stream: channel })
  await page.goto(`${demoServer.url}/#narrow/stream/${stream_id}-${channel}/subject/${topic.replaceAll(' ', '.20')}`)
  await page.waitForSelector(`#composer[placeholder*="${topic}"]`)
}

/** Writes into the composer and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  await page.fill('#composer', text)
  await page.press('#composer', 'Control+Enter')
}

/** Sends messages of one person, one after the other. */
export async function say(demo: Demo, person: string, topic: string, texts: readonly string[]): Promise<void> {
  const client = await demo.as(person)
  for (const content of texts) await client.call('sendMessage', { type: 'stream', to: 'general', topic, content })
}
