import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page, Request } from 'playwright-core'
import type { Bench } from '../lib/bench.ts'
import { evaluate, launchChromium, newProfile, signIn, yardstick } from '../lib/chromium.ts'
import { type History, history } from '../lib/history.ts'
import { start } from '../lib/processes.ts'
import { median, percentile, type Row } from '../lib/statistics.ts'

const rounds = 5
const channels = 5000
/** As many messages does the client load at a time. */
const batch = 100

/** The web client in Chromium: the demo, then an organization with many users, channels and messages. */
export async function web(bench: Bench): Promise<Row[]> {
  const browser = await launchChromium()
  const past = await history(bench)
  await addChannels(past, bench.realm.realmId)
  const site = `http://127.0.0.1:${bench.server.port}`
  const profile = async () =>
    newProfile(browser, site, {
      secret: await signIn(bench.databaseUrl, bench.realm.realmId, past.reader.id),
      userId: past.reader.id,
    })
  const narrow = await busyNarrow(past, bench.realm.realmId)
  const page = await (await profile()).newPage()
  await waitForClient(page, site)
  const reference = `fixed script: ${(await yardstick(page)).toFixed(0)} ms`
  await page.context().close()
  const row = (measure: string, subject: string, goal: string): Row => {
    console.error(`${measure}: ${subject}`)
    return { measure, subject, reference, ratio: '', goal }
  }
  const size = `${bench.realm.people.length} users, ${channels} channels, ${past.messages} messages`
  const rows = [
    ...(await demoRows(browser, row)),
    row(`12 cold open to first message, ${size}`, await openings(profile, `${site}/${narrow}`, false), '≤ 2000 ms'),
    row(`12 warm open, ${size}`, await openings(profile, `${site}/${narrow}`, true), '≤ 400 ms'),
    ...(await usage(await profile(), { site, narrow, bench, row })),
  ]
  await browser.close()
  return rows
}

type NewRow = (measure: string, subject: string, goal: string) => Row

async function addChannels({ client }: History, realmId: number): Promise<void> {
  await client.query(
    `insert into channels (realm_id, name, name_key, description, can_add_subscribers_group, can_administer_channel_group,
                           can_remove_subscribers_group, can_send_message_group, can_subscribe_group)
     select $1, 'more ' || n, 'more ' || n, 'What the channel is about', c.can_add_subscribers_group,
            c.can_administer_channel_group, c.can_remove_subscribers_group, c.can_send_message_group, c.can_subscribe_group
       from channels c, generate_series((select count(*) from channels where realm_id = $1) + 1, $2) n
      where c.realm_id = $1 and c.name = 'small'`,
    [realmId, channels],
  )
}

/** The topic with the most messages among those of the busiest channel. */
async function busyNarrow({ client, busyChannel }: History, realmId: number): Promise<string> {
  const { rows } = await client.query<{ id: number }>('select id from channels where realm_id = $1 and name = $2', [
    realmId,
    busyChannel,
  ])
  return `#narrow/channel/${rows[0]!.id}-past/topic/subject.201`
}

/** The server builds the client while it starts. */
async function waitForClient(page: Page, site: string): Promise<void> {
  await page.goto(site)
  while (!(await page.content()).includes('id="root"')) {
    await sleep(500)
    await page.goto(site)
  }
}

async function demoRows(browser: Awaited<ReturnType<typeof launchChromium>>, row: NewRow): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-demo-'))
  const main = join(import.meta.dirname, '../../packages/server/src/cli/main.ts')
  const demo = await start(main, ['serve', '--demo'], {
    DATA_DIR: folder,
    PORT: '0',
    RATE_LIMIT: '0',
    DATABASE_URL: '',
  })
  const site = `http://127.0.0.1:${demo.port}`
  const profile = async () => {
    const context = await newProfile(browser, site, { secret: '-'.repeat(43), userId: '' })
    const page = await context.newPage()
    await page.goto(`${site}/login`)
    await page.click('.person:has-text("Marta")')
    await waitForClient(page, site)
    const state = await context.storageState()
    await context.close()
    const cookieOf = (cookie: string) => state.cookies.find(({ name }) => name === cookie)!.value
    return newProfile(browser, site, { secret: cookieOf('parley'), userId: cookieOf('parley-account') })
  }
  const feed = `${site}/#feed`
  const rows = [
    row('12 cold open to first message, demo', await openings(profile, feed, false), '≤ 1000 ms'),
    row('12 warm open, demo', await openings(profile, feed, true), '≤ 300 ms'),
  ]
  await demo.stop()
  await rm(folder, { recursive: true, force: true })
  return rows
}

/** The median time from navigation to the first message, with an empty cache or one that another page has filled. */
async function openings(profile: () => Promise<BrowserContext>, url: string, isWarm: boolean): Promise<string> {
  const times: number[] = []
  let context = await profile()
  if (isWarm) await open(context, url, storing)
  for (let round = 0; round < rounds; round++) {
    times.push(await open(context, url))
    if (isWarm) continue
    await context.close()
    context = await profile()
  }
  await context.close()
  return `${median(times).toFixed(0)} ms`
}

/** The client stores what it knows while the user does nothing. */
const storing = 6000

async function open(context: BrowserContext, url: string, rest = 0): Promise<number> {
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'commit' })
  const time = await evaluate<number>(page, 'probe.first.then(probe.painted)')
  await sleep(rest)
  await page.close()
  return time
}

interface Usage {
  site: string
  narrow: string
  bench: Bench
  row: NewRow
}

async function usage(context: BrowserContext, { site, narrow, bench, row }: Usage): Promise<Row[]> {
  const page = await context.newPage()
  const polls = await pollsOf(context, page, `${site}/${narrow}`)
  const [committed, painted] = await switches(page, narrow)
  const interactions = await typing(page, narrow, bench)
  const shift = await evaluate<number>(page, 'probe.shift')
  // Last, because browsers count scrolling to the end of what is loaded as a shift when more is loaded at that moment.
  const scrolled = await scrollBack(page, narrow)
  await context.close()
  return [
    row('12 narrow switch from cache, committed p95', `${committed!.toFixed(0)} ms`, '≤ 50 ms'),
    row('12 the same, painted p95', `${painted!.toFixed(0)} ms`, '≤ 100 ms'),
    row('12 interaction p98, 50 messages/s arrive', `${interactions.toFixed(0)} ms`, '≤ 100 ms'),
    row(`12 frames over 34 ms, scrolling ${scrolled.messages} messages`, `${scrolled.slow.toFixed(1)} %`, '≤ 3 %'),
    row('12 JS heap after it', `${scrolled.heap.toFixed(0)} MB`, '≤ 60 MB'),
    row('12 DOM nodes after it', String(scrolled.nodes), '≤ 3000'),
    row('12 layout shift of opening, switching and receiving', shift.toFixed(3), '≤ 0.02'),
    row('12 polls open, two tabs', String(polls), '1'),
  ]
}

/** How many requests for events wait at the server when two tabs are open. */
async function pollsOf(context: BrowserContext, page: Page, url: string): Promise<number> {
  let open = 0
  const count = (change: number) => (request: Request) => {
    if (request.url().includes('/api/v1/events?')) open += change
  }
  context.on('request', count(1))
  context.on('requestfinished', count(-1))
  context.on('requestfailed', count(-1))
  await page.goto(url)
  const second = await context.newPage()
  await second.goto(url)
  for (const one of [page, second]) await one.waitForSelector('article.msg')
  await sleep(2000)
  const found = open
  await second.close()
  return found
}

/** Between ten topics that were all opened before. */
async function switches(page: Page, narrow: string): Promise<number[]> {
  const topics = Array.from({ length: 10 }, (_, n) => narrow.replace(/1$/, String(n + 1)))
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < 5; round++)
    for (const topic of topics) {
      const [committed, painted] = await evaluate<[number, number]>(page, switchTo(topic))
      await sleep(50)
      if (round === 0) continue
      times[0].push(committed)
      times[1].push(painted)
    }
  return times.map((list) => percentile(list, 0.95))
}

/** Waits for a row that was not there before. */
function switchTo(hash: string): string {
  return `(async () => {
    for (const row of document.querySelectorAll('article.msg')) row.dataset.before = ''
    const start = performance.now()
    if (location.hash === ${JSON.stringify(hash)}) return [0, 0]
    location.hash = ${JSON.stringify(hash)}
    const committed = await probe.watch('article.msg:not([data-before])')
    return [committed - start, (await probe.painted()) - start]
  })()`
}

interface Scrolled {
  messages: number
  /** Per cent of all frames. */
  slow: number
  heap: number
  nodes: number
}

async function scrollBack(page: Page, narrow: string): Promise<Scrolled> {
  await page.goto(new URL(narrow.replace(/\/topic.*/, ''), page.url()).href)
  await page.waitForSelector('article.msg')
  await goToNewest(page)
  await page.hover('.feed')
  await evaluate(page, 'probe.countFrames()')
  let messages = 0
  page.on('response', (response) => {
    if (response.url().includes('/api/v1/messages?')) messages += batch
  })
  for (let turn = 0; messages < 10_000 && turn < 4000; turn++) {
    await page.mouse.wheel(0, -1500)
    await sleep(16)
  }
  const frames = await evaluate<number[]>(page, 'probe.frames')
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const heap = (await evaluate<number>(page, 'performance.memory.usedJSHeapSize')) / 1e6
  const nodes = await evaluate<number>(page, `document.querySelectorAll('*').length`)
  return { messages, slow: (frames.filter((time) => time > 34).length / frames.length) * 100, heap, nodes }
}

/** The reader has read nothing, so the channel opens at its oldest message, above which there is nothing to load. */
async function goToNewest(page: Page): Promise<void> {
  await sleep(1000)
  const button = page.locator('.to-end')
  if (await button.isVisible()) await button.click()
  await button.waitFor({ state: 'detached' })
}

/** The 98th percentile of the interactions while the user types and others write 50 messages a second. */
async function typing(page: Page, narrow: string, { server, realm }: Bench): Promise<number> {
  await page.goto(new URL(narrow, page.url()).href)
  await page.waitForSelector('article.msg')
  await evaluate(page, 'probe.interactions.clear()')
  const [, channel, topic] = /channel\/(\d+)[^/]*\/topic\/(.*)/.exec(narrow)!
  const form = { type: 'stream', to: channel!, topic: decodeURIComponent(topic!.replaceAll('.', '%')) }
  let isTyping = true
  const others = (async () => {
    for (let n = 0; isTyping; n++) {
      void fetch(`http://127.0.0.1:${server.port}/api/v1/messages`, {
        method: 'POST',
        headers: { authorization: realm.owner.authorization },
        body: new URLSearchParams({ ...form, content: `message **${n}** of many` }),
      }).then((response) => response.text())
      await sleep(20)
    }
  })()
  const isDone = await page
    .locator('#composer')
    .pressSequentially('What I have to say is long, but I say it.'.repeat(2), { delay: 60, timeout: 60_000 })
    .then(() => true)
    .catch(() => false)
  isTyping = false
  await others
  const times = await evaluate<number[]>(page, '[...probe.interactions.values()]')
  if (!isDone) return Infinity // 82 letters took more than a minute
  return times.length === 0 ? 16 : percentile(times, 0.98)
}
