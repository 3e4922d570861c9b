import type { Page } from 'playwright-core'
import type { Demo } from './journey.ts'

const picture = `<div class="message_inline_image"><a href="/static/icon-512.png"><img data-original-dimensions="512x512" src="/static/icon-512.png"></a></div>`

/** A topic with many messages of different heights, some with pictures, all read. Returns its hash. */
export async function fillWithPictures(demo: Demo, topic: string, count: number): Promise<string> {
  const ines = await demo.as('ines')
  const { id } = await ines.call('sendMessage', { type: 'stream', to: 'general', topic, content: 'The oldest' })
  await demo.sql(
    `with counted as (update realm_counters c set last_message = last_message + $2
                       where realm_id = (select realm_id from users where email = 'ines@example.com')
                   returning last_message - $2 as before)
     insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
     select realm_id, before + n, recipient_id, channel_id, topic_id, sender_id, now(), 'x', 'line ' || n,
            '<p>line ' || n || repeat(' and what the tide did at the quay', (n * 31 % 23)::int) || '</p>' ||
            case n * 7919 % 11 when 3 then $3 else '' end
       from messages, counted, generate_series(1, $2) n where id = $1`,
    [id, count, picture],
  )
  await (await demo.as('member')).call('markAllAsRead')
  const { stream_id } = await ines.call('getChannelId', { stream: 'general' })
  return `#narrow/channel/${stream_id}-general/topic/${topic}`
}

const step = 400

/** Where rows in view stand, once nothing moves any more. */
const settledRows = `(async () => {
  const rows = () => Object.fromEntries([...document.querySelectorAll('article.msg')]
    .map((row) => [row.dataset.messageId, row.getBoundingClientRect()])
    .filter(([, { bottom, top }]) => bottom > -500 && top < innerHeight)
    .map(([id, { top }]) => [id, top]))
  for (let seen = '', same = 0; ; ) {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))
    const now = rows()
    same = JSON.stringify(now) === seen ? same + 1 : 0
    seen = JSON.stringify(now)
    if (same === 3) return now
  }
})()`

/** Until the user does something, the list stays where it was opened. */
export async function beginToWheel(page: Page): Promise<void> {
  await page.mouse.move(700, 400)
  await page.mouse.wheel(0, -10)
  await page.evaluate(settledRows)
}

/** Wheels back once. Returns by how many whole pixels a row moved more or less than that, at most. */
export async function wheelBack(page: Page): Promise<number> {
  const before = (await page.evaluate(settledRows)) as Record<string, number>
  await page.mouse.wheel(0, -step)
  await page.waitForFunction(([id, top]) => {
    const row = document.querySelector(`[data-message-id="${id}"]`)
    return !row || row.getBoundingClientRect().top > Number(top) + 100
  }, Object.entries(before)[0]!)
  const after = (await page.evaluate(settledRows)) as Record<string, number>
  const moved = Object.keys(before)
    .filter((id) => id in after)
    .map((id) => Math.abs(after[id]! - before[id]! - step))
  return moved.length === 0 ? Infinity : Math.floor(Math.max(...moved))
}
