import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { journey, messageWith, openTopic, send } from '../journey.ts'

/** Whether an emoji is drawn in colours. Without a font for it, it is an empty box. */
const isColourful = (page: Page, emoji: string) =>
  page.evaluate(async (text) => {
    const font = `32px ${getComputedStyle(document.body).fontFamily}`
    await document.fonts.load(font, text)
    const context = new OffscreenCanvas(64, 64).getContext('2d')!
    context.font = font
    context.fillText(text, 8, 48)
    const { data } = context.getImageData(0, 0, 64, 64)
    return data.some((red, index) => index % 4 === 0 && Math.abs(red - data[index + 2]!) > 60)
  }, emoji)

const emojiFonts = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('twemoji')).length)

journey('emoji are shown even where the platform has none, and their font is not loaded before', async (context) => {
  const page = await context.signIn('Marta', '#drafts')
  assert.equal(await emojiFonts(page), 0)
  await openTopic(page, context.demo, 'general', 'faces')
  await send(page, 'Done :tada:')
  await messageWith(page, 'Done').waitFor()
  for (const emoji of ['🎉', '👍🏽', '🇪🇺', '👩‍💻', '❤️']) assert.ok(await isColourful(page, emoji), emoji)
})
