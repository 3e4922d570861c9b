import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CannotRender, Renderer, type RendererOptions } from './rendering.ts'

function newRenderer(t: TestContext, options: RendererOptions = {}): Renderer {
  const renderer = new Renderer(options)
  t.after(() => renderer.close())
  return renderer
}

const formula = '$$\\sqrt{\\sqrt{x}}$$ '
const slow = formula.repeat(500)

test('a text that takes too long is refused, and the next one gets a worker that is not stuck', async (t) => {
  const options: RendererOptions = { deadlineMilliseconds: 4 }
  const renderer = newRenderer(t, options)
  await assert.rejects(Promise.resolve(renderer.render(slow, {})), CannotRender)
  options.deadlineMilliseconds = 60_000
  assert.match((await renderer.render(formula, {})).html, /katex/)
})

test('while a long text is rendered other work goes on', async (t) => {
  const renderer = newRenderer(t)
  const finished: string[] = []
  const long = Promise.resolve(renderer.render(slow, {})).then(() => finished.push('long text'))
  await new Promise((resolve) => setTimeout(resolve, 1))
  finished.push((await renderer.render('*short*', {})).html)
  await long
  assert.deepEqual(finished, ['<p><em>short</em></p>', 'long text'])
})

test('pictures from elsewhere come through the proxy, whether a text is rendered here or aside', async (t) => {
  const renderer = newRenderer(t, { proxy: { url: 'https://media.example/ext', key: 'secret' } })
  const picture = 'https://a.com/x.png'
  const signed = '9b92182b542f24f0ee83a48a9cfff0b9947d0fbc/68747470733a2f2f612e636f6d2f782e706e67'
  for (const text of [picture, `${picture}\n\n\`\`\`\ncode\n\`\`\``])
    assert.match((await renderer.render(text, {})).html, new RegExp(`<img src="https://media.example/ext/${signed}">`))
})
