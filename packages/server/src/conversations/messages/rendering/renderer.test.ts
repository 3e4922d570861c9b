import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { QueueFull } from '../../../platform/fair-queue.ts'
import { assertShortTurns } from '../../../testing/load/flood.ts'
import { CannotRender, Renderer, type RendererOptions } from './renderer.ts'

function newRenderer(t: TestContext, options: RendererOptions = {}): Renderer {
  const renderer = new Renderer(options)
  t.after(() => renderer.close())
  return renderer
}

const ann = { realm_id: 1, id: 1, bot_owner_id: null }
const ben = { realm_id: 1, id: 2, bot_owner_id: null }
const bot = { realm_id: 1, id: 3, bot_owner_id: ann.id }

const formula = '$$\\sqrt{\\sqrt{x}}$$ '
const slow = formula.repeat(500)

test('a text that takes too long is refused, and the next one gets a working worker', async (t) => {
  const options: RendererOptions = { deadlineMilliseconds: 4 }
  const renderer = newRenderer(t, options)
  await assert.rejects(Promise.resolve(renderer.render(ann, slow.repeat(4), {})), CannotRender)
  options.deadlineMilliseconds = 60_000
  assert.match((await renderer.render(ann, formula, {})).html, /katex/)
})

test('workers without a task are stopped, and started again when they are needed', async (t) => {
  const stopped = t.mock.method(Worker.prototype, 'terminate')
  const renderer = newRenderer(t)
  await renderer.render(ann, formula, {})
  await renderer.release()
  assert.equal(stopped.mock.callCount(), 2) // one and its spare
  assert.match((await renderer.render(ann, formula, {})).html, /katex/)
})

test('diffs that take too long are coarse, and making them does not block the main thread', async (t) => {
  const renderer = newRenderer(t, { deadlineMilliseconds: 2 })
  const words = (letter: string) => `<p>${Array.from({ length: 1500 }, (_, n) => letter + n).join(' ')}</p>`
  const pairs = Array.from({ length: 100 }, (): [string, string] => [words('a'), words('b')])
  await assertShortTurns(async () => {
    const diffs = await renderer.diff(ann, pairs)
    assert.match(diffs[99]!, /^<p><span class="highlight_text_deleted">a0 a1 /)
  })
})

test('words that take too long to find are not highlighted', async (t) => {
  const renderer = newRenderer(t, { deadlineMilliseconds: 2 })
  assert.deepEqual(await renderer.words(ann, Array(200).fill('<p>moon</p>'.repeat(1000))), [])
})

test('rendering a long text does not block other work', async (t) => {
  const renderer = newRenderer(t)
  const finished: string[] = []
  const long = Promise.resolve(renderer.render(ann, slow, {})).then(() => finished.push('long text'))
  await new Promise((resolve) => setTimeout(resolve, 1))
  finished.push((await renderer.render(ann, '*short*', {})).html)
  await long
  assert.deepEqual(finished, ['<p><em>short</em></p>', 'long text'])
})

test('external images go through the proxy, whether rendered in the main thread or in a worker', async (t) => {
  const renderer = newRenderer(t, { proxy: { url: 'https://media.example/ext', key: 'secret' } })
  const image = 'https://a.com/x.png'
  const signed = '9b92182b542f24f0ee83a48a9cfff0b9947d0fbc/68747470733a2f2f612e636f6d2f782e706e67'
  for (const text of [image, `${image}\n\n\`\`\`\ncode\n\`\`\``])
    assert.match(
      (await renderer.render(ann, text, {})).html,
      new RegExp(`<img src="https://media.example/ext/${signed}">`),
    )
})

test('formulas beyond the time budget are shown as typed', async (t) => {
  // Far beyond: a fast machine draws thousands within it.
  const { html } = await newRenderer(t).render(ann, formula.repeat(30_000), {})
  assert.ok(html.includes('<code>$$'))
})

test('a user and their bots delay another user only by the tasks already running', async (t) => {
  const renderer = newRenderer(t)
  await Promise.all([renderer.render(ann, formula, {}), renderer.render(ben, formula, {})]) // start the workers
  const finished: string[] = []
  const renderings = Array.from({ length: 12 }, async (_, index) => {
    await renderer.render(index % 2 ? ann : bot, slow, {})
    finished.push('flood')
  })
  await renderer.render(ben, slow, {})
  finished.push('ben')
  await Promise.all(renderings)
  assert.ok(finished.indexOf('ben') <= 4, finished.join())
})

test('a user with too many queued texts is refused; other users are not', async (t) => {
  const renderer = newRenderer(t)
  const flood = Array.from({ length: 200 }, () => Promise.resolve(renderer.render(ann, formula, {})))
  const other = renderer.render(ben, formula, {})
  const refused = (await Promise.allSettled(flood)).filter(({ status }) => status === 'rejected')
  assert.ok(refused.length > 0)
  assert.ok(refused.every((result) => result.status === 'rejected' && result.reason instanceof QueueFull))
  assert.match((await other).html, /katex/)
})
