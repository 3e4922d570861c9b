import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Demo, journey } from '../journey.ts'

const isThorough = process.env.HOSTILE === 'all'
const topicCount = isThorough ? 100_000 : 3000
/** For each of the eight people of the demo. */
const emojiCount = isThorough ? 1250 : 100

const script = '<img src=x onerror="window.hacked=1">'
const marks = 'Z\u0351\u036b\u0343\u036a\u0302\u036b'.repeat(8)
const backwards = '\u202Egnp.exe\u2066 \u05E9\u05DC\u05D5\u05DD'
const endless = 'W'.repeat(60)

const contents = [
  `${script}<script>window.hacked=1</script> [a](javascript:window.hacked=1) <svg onload=window.hacked=1>`,
  `[${script}](https://example.com/"onmouseover="window.hacked=1) ![x](data:text/html,${script})`,
  'W'.repeat(4000),
  marks.repeat(60),
  backwards.repeat(40),
  `\`\`\`\n${'x'.repeat(6000)}\n${'line\n'.repeat(600)}\`\`\``,
  `${'>'.repeat(60)} deep`,
  `|${' wide |'.repeat(60)}\n|${'---|'.repeat(60)}\n|${' 1 |'.repeat(60)}`,
  `$$${'x + '.repeat(300)}1$$`,
  `/poll ${endless}${script}\n${endless.repeat(3)}`,
]

interface Places {
  channel: number
  topic: string
}

async function fill(demo: Demo): Promise<Places> {
  const marta = await demo.as('member')
  await demo.sql(`update users set full_name = $1 where email = 'jonas@example.com'`, [`${script} ${marks}`])
  await demo.sql(`update users set full_name = $1 where email = 'ines@example.com'`, [`${backwards} ${endless}`])
  const to = { type: 'stream', to: 'kitchen' } as const
  for (const topic of [`${script}`.slice(0, 60), marks, backwards, endless])
    await marta.call('sendMessage', { ...to, topic, content: 'A topic like any other' })
  for (const [index, content] of contents.entries())
    await (await demo.as(index % 2 ? 'jonas' : 'ines')).call('sendMessage', { ...to, topic: endless, content })
  const link = await upload(demo, `"><img src=x onerror=window.hacked=1>${endless}.svg`)
  const { id } = await marta.call('sendMessage', { ...to, topic: endless, content: link })
  await demo.sql(
    `insert into reactions (realm_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
     select realm_id, $1, id, 'unicode_emoji', to_hex(127744 + n), 'emoji' || n
       from users, generate_series(1, $2) n where bot_type is null`,
    [id, emojiCount],
  )
  const { stream_id: channel } = await marta.call('getChannelId', { stream: 'kitchen' })
  await demo.sql(
    `with made as (
       insert into topics (realm_id, channel_id, name, name_key)
       select realm_id, id, 'topic ' || n, 'topic ' || n from channels, generate_series(1, $2) n where id = $1
       returning realm_id, channel_id, id),
     counted as (update realm_counters c set last_message = last_message + $2 where realm_id in (select realm_id from made)
                 returning last_message - $2 as before)
     insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
     select made.realm_id, before + row_number() over (), c.recipient_id, channel_id, made.id, $3, now(), 'x', 'x', '<p>x</p>'
       from made join channels c on c.id = channel_id, counted`,
    [channel, topicCount, (await marta.call('getOwnUser', {})).user_id],
  )
  return { channel, topic: endless }
}

/** An SVG with a script, uploaded under a hostile name. Returns the link to it. */
async function upload(demo: Demo, name: string): Promise<string> {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked=1</script></svg>'
  const { api_key } = (await await fetch(`${demo.url}/api/v1/dev_fetch_api_key`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'member@example.com' }),
  }).then((response) => response.json())) as { api_key: string }
  const body = new FormData()
  body.set('file', new File([svg], name, { type: 'image/svg+xml' }))
  const authorization = `Basic ${Buffer.from(`member@example.com:${api_key}`).toString('base64')}`
  const answer = await fetch(`${demo.url}/api/v1/user_uploads`, { method: 'POST', headers: { authorization }, body })
  const { url } = (await answer.json()) as { url: string }
  return `[${name}](${url})`
}

/** Elements that are wider than their place, rows that overlap, and text outside the screen. */
const findDamage = `[
  ...[...document.querySelectorAll('body, .app, .main, .side, .msg, .bar, .dialog')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => 'too wide: ' + one.className),
  ...[...document.querySelectorAll('article.msg')].map((one) => one.getBoundingClientRect()).sort((a, b) => a.top - b.top)
    .filter((one, index, all) => index > 0 && one.top < all[index - 1].bottom - 1).map((one) => 'overlap at ' + one.top),
]`

async function inspect(page: Page, name: string): Promise<void> {
  assert.deepEqual(await page.evaluate(findDamage), [], name)
  assert.equal(await page.evaluate('window.hacked'), undefined, name)
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/hostile-${name.replace(/\W+/g, '-')}.png` })
}

journey('hostile content neither runs nor breaks the layout', async ({ demo, signIn }) => {
  const { channel, topic } = await fill(demo)
  const page = await signIn('Marta')
  const narrow = `#narrow/channel/${channel}`
  for (const [size, width] of Object.entries({ desktop: 1280, phone: 390 })) {
    await page.setViewportSize({ width, height: 844 })
    for (const hash of ['#inbox', '#feed', '#recent', narrow, '#organization/members']) {
      await page.goto(`${demo.url}/${hash}`)
      await page.waitForSelector('main h1')
      await page.waitForSelector('.skeleton', { state: 'detached' })
      await inspect(page, `${size} ${hash}`)
    }
    await page.goto(`${demo.url}/${narrow}/topic/${topic}`)
    await page.waitForSelector('article.msg')
    for (let step = 0; step < 12; step++) {
      await inspect(page, `${size} topic ${step}`)
      await page.evaluate(`document.querySelector('.feed-list').scrollBy(0, 600)`)
      await page.waitForTimeout(50)
    }
    await page.keyboard.press('Control+k')
    await page.fill('.palette input', script)
    await inspect(page, `${size} palette`)
    await page.reload()
  }
})

journey('an uploaded SVG does not run', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const link = await upload(demo, 'image.svg')
  const response = await page.request.get(demo.url + /\((.*)\)/.exec(link)![1]!)
  assert.match(response.headers()['content-security-policy'] ?? '', /sandbox|default-src 'none'/)
  assert.equal(response.headers()['x-content-type-options'], 'nosniff')
})
