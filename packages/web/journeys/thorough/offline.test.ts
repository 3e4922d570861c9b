import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'
import { until } from '../../../server/src/testing/until.ts'
import { type Demo, journey, messageWith, openTopic, send } from '../journey.ts'

/** Requests of all tabs, by method and path. */
function requestsOf(page: Page): string[] {
  const found: string[] = []
  page.context().on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/v1/')) found.push(`${request.method()} ${pathname.slice('/api/v1'.length)}`)
  })
  return found
}

/** How many requests for events are waiting, in all tabs. */
function openPolls(page: Page): () => number {
  const open = new Set<Request>()
  const end = (request: Request) => open.delete(request)
  page.context().on('request', (request) => {
    if (request.url().includes('/api/v1/events?')) open.add(request)
  })
  page.context().on('requestfinished', end)
  page.context().on('requestfailed', end)
  return () => [...open].filter((request) => !request.frame().page().isClosed()).length
}

const count = (requests: readonly string[], one: string) => requests.filter((request) => request === one).length

/** What is stored, by name of the store. */
function stored(page: Page): Promise<Record<string, unknown[]>> {
  return page.evaluate(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === 'parley')) return {}
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const db = await done(indexedDB.open('parley'))
    const entries = []
    for (const name of db.objectStoreNames)
      entries.push([name, await done(db.transaction(name).objectStore(name).getAll())])
    db.close()
    return Object.fromEntries(entries)
  })
}

/** Waits until the state and the open conversation are stored. */
async function saved(page: Page, text: string): Promise<void> {
  await until(async () => {
    const { state, messages } = await stored(page)
    return state?.length === 1 && JSON.stringify(messages).includes(text)
  })
}

async function say(demo: Demo, topic: string, content: string): Promise<void> {
  const client = await demo.as('admin')
  await client.call('sendMessage', { type: 'stream', to: 'general', topic, content } as never)
}

const shown = (page: Page, text: string) => page.locator('article.msg:not(.pending)', { hasText: text })

journey('a second start shows everything before the server answers, and continues the same queue', async (context) => {
  const { demo, signIn } = context
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'warm')
  await send(page, 'written before')
  await shown(page, 'written before').waitFor()
  await saved(page, 'written before')
  const requests = requestsOf(page)
  let answers: (() => void) | undefined
  const blocked = new Promise<void>((resolve) => (answers = resolve))
  await page.route('**/api/v1/**', async (route) => {
    await blocked
    await route.continue()
  })
  await page.reload()
  await shown(page, 'written before').waitFor()
  await page.waitForSelector('.side')
  await say(demo, 'warm', 'while it was closed')
  await page.waitForSelector('.offline:has-text("Updating")')
  answers!()
  await shown(page, 'while it was closed').waitFor()
  await page.waitForSelector('.offline', { state: 'detached' })
  assert.equal(count(requests, 'POST /register'), 0)
})

journey(
  'two tabs share one poll; when one closes, the other continues without losing or repeating a message',
  async ({ demo, signIn }) => {
    const first = await signIn('Marta')
    await openTopic(first, demo, 'general', 'tabs')
    await saved(first, 'general')
    const requests = requestsOf(first)
    const polls = openPolls(first)
    await first.reload()
    const second = await first.context().newPage()
    await openTopic(second, demo, 'general', 'tabs')
    await say(demo, 'tabs', 'for both')
    for (const page of [first, second]) await shown(page, 'for both').waitFor()
    await send(second, 'from the second')
    for (const page of [first, second]) await shown(page, 'from the second').waitFor()
    await until(() => polls() === 1)
    await first.close()
    for (const text of ['one', 'two', 'three']) await say(demo, 'tabs', `after ${text}`)
    for (const text of ['one', 'two', 'three']) await shown(second, `after ${text}`).waitFor()
    await until(() => polls() === 1)
    assert.equal(await second.locator('article.msg').count(), 5)
    assert.equal(count(requests, 'POST /register'), 0)
  },
)

/** Stops all scripts of a page, as browsers do to save energy. Returns what lets them continue. */
async function freeze(page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Debugger.enable')
  const paused = new Promise((resolve) => devtools.once('Debugger.paused', resolve))
  await devtools.send('Debugger.pause')
  void page.evaluate('0') // it stops at the next statement
  await paused
  return async () => {
    await devtools.send('Debugger.resume')
    await devtools.detach()
  }
}

journey('a tab takes over from a frozen one, which later continues without polling', async ({ demo, signIn }) => {
  const first = await signIn('Marta')
  await openTopic(first, demo, 'general', 'frozen')
  await saved(first, 'general')
  const polled: Page[] = []
  first.context().on('request', (request) => {
    if (request.url().includes('/api/v1/events?')) polled.push(request.frame().page())
  })
  await first.reload()
  await until(() => polled.length > 0)
  const second = await first.context().newPage()
  await openTopic(second, demo, 'general', 'frozen')
  await say(demo, 'frozen', 'for both')
  for (const page of [first, second]) await shown(page, 'for both').waitFor()
  assert.equal(polled.at(-1), first)
  const thaw = await freeze(first)
  await say(demo, 'frozen', 'while frozen')
  await second.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`) // the user comes back to this tab
  await shown(second, 'while frozen').waitFor()
  await until(() => polled.at(-1) === second)
  await thaw()
  await say(demo, 'frozen', 'again for both')
  for (const page of [first, second]) await shown(page, 'again for both').waitFor()
  for (const page of [first, second]) assert.equal(await page.locator('article.msg').count(), 3)
  await say(demo, 'frozen', 'the last one')
  for (const page of [first, second]) await shown(page, 'the last one').waitFor()
  assert.equal(polled.at(-1), second)
})

journey('what was written offline is sent exactly once after the browser was closed', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'outbox')
  await send(page, 'before')
  await shown(page, 'before').waitFor()
  await saved(page, 'before')
  // The response to the first is lost; the others never reach the server.
  let sends = 0
  await page.route('**/api/v1/messages', async (route) => {
    if (route.request().method() === 'POST' && sends++ === 0) await route.fetch()
    await route.abort()
  })
  const texts = ['first', 'second', 'third']
  for (const text of texts) await send(page, `${text} offline`)
  await until(async () => (await stored(page)).deliveries!.length === 3)
  const next = await page.context().newPage()
  await page.close()
  await openTopic(next, demo, 'general', 'outbox')
  for (const text of texts) await shown(next, `${text} offline`).waitFor()
  await until(async () => (await stored(next)).deliveries!.length === 0)
  assert.deepEqual(await contentsOf(demo, 'outbox'), ['before', ...texts.map((text) => `${text} offline`)])
  assert.equal(await next.locator('article.msg').count(), 4)
})

async function contentsOf(demo: Demo, topic: string): Promise<string[]> {
  const { messages } = await (await demo.as('member')).call('getMessages', {
    narrow: [{ operator: 'topic', operand: topic }],
    anchor: 'newest' as never,
    num_before: 20,
    num_after: 0,
    apply_markdown: false,
  })
  return messages.map(({ content }) => content)
}

journey('what waited for more than a day is not sent without asking', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'old')
  await page.route('**/api/v1/messages', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await send(page, 'of yesterday')
  await until(async () => (await stored(page)).deliveries!.length === 1)
  await page.evaluate(`new Promise((resolve) => {
    indexedDB.open('parley').onsuccess = ({ target: { result } }) => {
      const store = result.transaction('deliveries', 'readwrite').objectStore('deliveries')
      store.getAll().onsuccess = ({ target: { result: [one] } }) => {
        store.put({ ...one, at: one.at - 24 * 3_600_000 }).onsuccess = resolve
      }
    }
  })`)
  await page.reload()
  const row = messageWith(page, 'of yesterday')
  await row.locator('text=Check whether this arrived').waitFor()
  await page.unroute('**/api/v1/messages')
  assert.deepEqual(await contentsOf(demo, 'old'), [])
  await row.locator('text=Try again').click()
  await shown(page, 'of yesterday').waitFor()
  assert.deepEqual(await contentsOf(demo, 'old'), ['of yesterday'])
})

journey('a lost queue is replaced without a reload', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'lost')
  await send(page, 'before')
  await shown(page, 'before').waitFor()
  await saved(page, 'before')
  const requests = requestsOf(page)
  const [{ queue_id }] = (await stored(page)).state as [{ queue_id: string }]
  await page.goto('about:blank')
  await (await demo.as('member')).call('deleteQueue', { queue_id })
  await say(demo, 'lost', 'while the queue was lost')
  await openTopic(page, demo, 'general', 'lost')
  await shown(page, 'while the queue was lost').waitFor()
  assert.equal(count(requests, 'POST /register'), 1)
})

/** Replaces the stored state by another text. */
const damagedBy = (text: string) => `state.get(0).onsuccess = ({ target: { result } }) => {
  const known = JSON.parse(result.text)
  state.put({ ...result, text: ${text} }, 0)
}`

const damages = {
  'no JSON': damagedBy(`'{'`),
  'another form': damagedBy(`'{"user_id":1}'`),
  'missing parts': damagedBy(`JSON.stringify({
    user_id: known.user_id, realm_users: known.realm_users, subscriptions: known.subscriptions })`),
}

for (const [kind, damage] of Object.entries(damages))
  journey(`a damaged cache is discarded: ${kind}`, async ({ demo, signIn }) => {
    const page = await signIn('Marta')
    await openTopic(page, demo, 'general', kind)
    await send(page, 'still here')
    await saved(page, 'still here')
    await page.evaluate(`new Promise((resolve) => {
      indexedDB.open('parley').onsuccess = ({ target: { result: db } }) => {
        const tx = db.transaction('state', 'readwrite')
        const state = tx.objectStore('state')
        tx.oncomplete = resolve
        ${damage}
      }
    })`)
    await page.reload()
    await shown(page, 'still here').waitFor()
  })

journey('signing out deletes what was stored', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'secret')
  await send(page, 'only for Marta')
  await saved(page, 'only for Marta')
  const other = await page.context().newPage()
  await openTopic(other, demo, 'general', 'secret')
  await page.goto(`${demo.url}/#settings/account`)
  await page.click('button:has-text("Sign out")')
  for (const tab of [page, other]) await tab.waitForURL(/\/login/)
  assert.deepEqual(await stored(page), {})
})

journey('signing out waits for the response, which may name another page to sign out from', async (context) => {
  const { demo, signIn } = context
  const page = await signIn('Marta')
  const polls = openPolls(page)
  await page.reload()
  await until(() => polls() === 1)
  await page.route('**/api/v1/sessions/current', async (route) => {
    const response = await route.fetch()
    await until(() => polls() === 0) // the poll ends first, and says that the session has ended
    await sleep(500)
    await route.fulfill({ response, json: { ...(await response.json()), logout_url: '/login?elsewhere' } })
  })
  await page.goto(`${demo.url}/#settings/account`)
  await page.click('button:has-text("Sign out")')
  await page.waitForURL(/elsewhere/)
  assert.deepEqual(await stored(page), {})
})

journey('another account sees nothing of what was stored', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'secret')
  await send(page, 'of Marta')
  await saved(page, 'of Marta')
  const { cookies } = await page.context().storageState()
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto(`${demo.url}/login`)
  await page.click('.person:has-text("Amir")')
  await page.waitForSelector('.app')
  assert.ok(cookies.some(({ name }) => name === 'parley-account'))
  assert.ok(!JSON.stringify((await stored(page)).messages).includes('of Marta'))
  assert.match((await page.textContent('.side'))!, /Amir/)
})

journey('without a database the client works as usual', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await page.addInitScript(`indexedDB.open = () => { throw new DOMException('denied', 'SecurityError') }`)
  await openTopic(page, demo, 'general', 'private')
  await page.reload()
  await page.waitForSelector('.app')
  await send(page, 'in a private window')
  await shown(page, 'in a private window').waitFor()
})

journey('an edit, a deletion and a resolution made offline are applied by the next start', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'changes')
  for (const text of ['to edit', 'to delete']) await send(page, text)
  for (const text of ['to edit', 'to delete']) await shown(page, text).waitFor()
  await saved(page, 'to delete')
  await choose(page, 'to edit', 'Edit')
  await page.waitForSelector('.editing textarea')
  await page.context().setOffline(true)
  await page.waitForSelector('.offline')
  await page.fill('.editing textarea', 'edited offline')
  await page.press('.editing textarea', 'Control+Enter')
  await page.click('button:has-text("Resolve")')
  await until(async () => (await stored(page)).deliveries!.length === 2)
  await choose(page, 'to delete', 'Delete')
  await page.goto('about:blank') // before the deletion is due
  await page.context().setOffline(false)
  await page.goto(`${demo.url}/#inbox`)
  await until(async () => {
    const [first, second] = await contentsOf(demo, '✔ changes')
    return first === 'edited offline' && second?.endsWith('resolved this topic.') // by the Notification Bot
  })
})

journey('a message is edited offline if its text is known here, and otherwise the client says so', async (context) => {
  const { demo, signIn } = context
  const marta = await demo.as('member')
  const elsewhere = (content: string) =>
    marta.call('sendMessage', { type: 'stream', to: 'general', topic: 'sources', content })
  await elsewhere('plain text')
  await elsewhere('**bold** from elsewhere')
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'sources')
  await send(page, '**bold** from here')
  await shown(page, 'bold from here').waitFor()
  await saved(page, 'from here')
  await page.context().setOffline(true)
  await page.waitForSelector('.offline')
  const change = async (text: string, from: string, to: string) => {
    await choose(page, text, 'Edit')
    await page.waitForSelector('.editing textarea')
    assert.equal(await page.inputValue('.editing textarea'), from)
    await page.fill('.editing textarea', to)
    await page.press('.editing textarea', 'Control+Enter')
  }
  await change('bold from here', '**bold** from here', '**braver** from here')
  await page.waitForSelector('article.msg strong:has-text("braver")')
  await change('braver from here', '**braver** from here', '*bravest* from here')
  await change('plain text', 'plain text', 'plainer text')
  await choose(page, 'bold from elsewhere', 'Edit')
  await page.waitForSelector('article.msg:has-text("Its text is not on this device")')
  await page.context().setOffline(false)
  await page.waitForSelector('.editing textarea')
  assert.equal(await page.inputValue('.editing textarea'), '**bold** from elsewhere')
  const expected = ['plainer text', '**bold** from elsewhere', '*bravest* from here']
  await until(async () => JSON.stringify(await contentsOf(demo, 'sources')) === JSON.stringify(expected))
})

async function choose(page: Page, text: string, action: string): Promise<void> {
  await page.mouse.move(0, 0) // a row that changed under the pointer notices it only when it moves
  await messageWith(page, text).hover()
  await messageWith(page, text).locator('[aria-label="More"]').click()
  await page.click(`[role=menuitem]:has-text("${action}")`)
}

journey('after a pause, the inbox lists what others renamed and resolved, and questions', async ({ demo, signIn }) => {
  await say(demo, 'plan a', 'the plan')
  await say(demo, 'finished', 'it is finished')
  const page = await signIn('Priya')
  await openTopic(page, demo, 'general', 'plan a')
  await shown(page, 'the plan').waitFor()
  await saved(page, 'the plan')
  await page.goto('about:blank')

  const admin = await demo.as('admin')
  const rename = async (from: string, topic: string) => {
    const narrow = [{ operator: 'topic', operand: from }]
    const { messages } = await admin.call('getMessages', {
      narrow,
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
    } as never)
    await admin.call('editMessage', { path: { message_id: messages[0]!.id }, topic, propagate_mode: 'change_all' })
  }
  await rename('plan a', 'plan b')
  await rename('finished', '✔ finished')
  await say(demo, 'plan b', '@**Priya**, do you agree?')
  await page.goto(`${demo.url}/#inbox`)

  const card = page.locator('.while-away')
  await card.locator('text=Amir renamed plan a to plan b.').waitFor()
  await card.locator('text=Amir resolved finished.').waitFor()
  await card.locator('text=Amir asked you something in plan b.').click()
  await page.waitForSelector('#composer[placeholder*="plan b"]')
  await page.goto(`${demo.url}/#inbox`)
  await card.locator('[aria-label="Dismiss"]').click()
  await card.waitFor({ state: 'detached' })
})

journey('an edit that is refused after its editor was closed becomes a draft', async ({ demo, signIn }) => {
  const marta = await demo.as('member')
  const topic = { type: 'stream', to: 'general', topic: 'refused' } as const
  const { id } = await marta.call('sendMessage', { ...topic, content: 'as it was' })
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'refused')
  await shown(page, 'as it was').waitFor()
  await page.context().setOffline(true)
  await page.waitForSelector('.offline')
  await choose(page, 'as it was', 'Edit')
  await page.fill('.editing textarea', 'a long new text')
  await page.press('.editing textarea', 'Control+Enter')
  await page.waitForSelector('.editing', { state: 'detached' })
  await (await demo.as('owner')).call('deleteMessage', { path: { message_id: id } })
  await page.context().setOffline(false)
  await page.waitForSelector('.toast.error:has-text("Your text is in your drafts.")')
  const { drafts } = await marta.call('getDrafts', {})
  assert.deepEqual(
    drafts.map(({ content, topic }) => [content, topic]),
    [['a long new text', 'refused']],
  )
})

journey('on a shared computer, drafts are kept by the server only', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const named = (await page.context().cookies()).find(({ name }) => name.endsWith('parley-account'))!
  await page.context().addCookies([{ ...named, value: '' }]) // as it is after a sign-in with that choice
  await page.reload()
  await openTopic(page, demo, 'general', 'at the library')
  await page.fill('#composer', 'a secret draft')
  await page.waitForSelector('.kept')
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), /secret/)
  await page.reload()
  await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('#composer')?.value === 'a secret draft')
})
