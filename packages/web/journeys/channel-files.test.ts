import type { Page } from 'playwright-core'
import { journey, messageWith, openTopic, send } from './journey.ts'

/** Uploads a text file and returns its URL. */
function upload(page: Page, name: string): Promise<string> {
  return page.evaluate(async (filename) => {
    const form = new FormData()
    form.append('file', new File(['contents'], filename, { type: 'text/plain' }))
    const headers = { 'Parley-Client': 'web' }
    const response = await fetch('/api/v1/user_uploads', { method: 'POST', headers, body: form })
    return (await response.json()).url
  }, name)
}

journey(
  'the files of a channel are listed, also those that are shared while the list is open',
  async ({ demo, signIn }) => {
    const jonas = await signIn('Jonas')
    await openTopic(jonas, demo, 'general', 'plans')
    const share = async (name: string) => send(jonas, `Here is [${name}](${await upload(jonas, name)})`)
    await share('route.txt')
    await messageWith(jonas, 'route.txt').and(jonas.locator(':not(.pending)')).waitFor()

    const page = await signIn('Marta')
    await openTopic(page, demo, 'general', 'plans')
    await page.locator('.bar .crumb', { hasText: 'general' }).click()
    await page.getByRole('navigation', { name: 'View of the channel' }).getByRole('link', { name: 'Files' }).click()
    const file = (name: string) => page.locator('main li', { hasText: name })
    await file('route.txt').waitFor()
    await share('weather.txt')
    await file('weather.txt').waitFor()
    await file('route.txt').getByRole('link', { name: 'Open message' }).click()
    await page.locator('article.linked', { hasText: 'route.txt' }).waitFor()
  },
)
