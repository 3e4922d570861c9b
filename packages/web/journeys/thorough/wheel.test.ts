import assert from 'node:assert/strict'
import { journey, messageWith } from '../journey.ts'
import { beginToWheel, fillWithPictures, wheelBack } from '../long-topic.ts'

const count = Number(process.env.WHEEL_MESSAGES ?? 6000)

journey('nothing moves unasked while one wheels back through thousands of messages', async ({ demo, signIn }) => {
  const page = await signIn('Marta', await fillWithPictures(demo, 'wheel', count))
  await messageWith(page, `line ${count}`).waitFor()
  await beginToWheel(page)
  const oldest = page.locator('article.msg[aria-posinset="1"]', { hasText: 'The oldest' })
  for (let n = 0; (await oldest.count()) === 0; n++) assert.equal(await wheelBack(page), 0, `pixels in step ${n}`)
})
