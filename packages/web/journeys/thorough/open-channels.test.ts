import assert from 'node:assert/strict'
import { checkLook } from '../../../server/src/testing/browser.ts'
import { journey, messageWith, openTopic } from '../journey.ts'
import { visit } from '../settings-page.ts'

journey(
  'an owner opens a channel to everyone, and people without an account read it',
  async ({ demo, open, signIn }) => {
    const page = await signIn('Olivia')
    const olivia = await demo.as('owner')
    const { stream_id } = await olivia.call('getChannelId', { stream: 'general' })
    await olivia.call('sendMessage', {
      type: 'stream',
      to: 'general',
      topic: 'hours',
      content: 'We open at **nine**. $$x^2$$',
    })

    await visit(page, '#organization/profile')
    await page.getByRole('switch', { name: 'Channels can be open to everyone' }).click()
    await page.getByText('No channel is open yet').waitFor()
    await page.getByRole('button', { name: 'Allow open channels' }).click()
    await page.getByRole('link', { name: 'See what everyone sees' }).waitFor()

    await visit(page, `#channels/${stream_id}`)
    const privacy = page.getByRole('combobox', { name: 'Who finds and reads it' })
    await privacy.selectOption({ label: 'Open to everyone' })
    await page.getByRole('button', { name: 'Open the channel', exact: true }).click()
    await privacy.locator('option:checked', { hasText: 'Open to everyone' }).waitFor({ state: 'attached' })

    await openTopic(page, demo, 'general', 'hours')
    await page.fill('#composer', 'x')
    await page.getByText('Everyone on the web can read this channel.').waitFor()
    await messageWith(page, 'We open at').waitFor()

    const reader = await open(`${demo.url}/login`, { javaScriptEnabled: false })
    await reader.getByRole('link', { name: 'Read the open channels' }).click()
    await reader.getByRole('link', { name: '# general' }).click()
    await reader.getByRole('link', { name: 'hours' }).click()
    await reader.getByText('We open at').waitFor()

    const looks = await open(`${demo.url}/open`)
    await checkLook(looks, 'open-list')
    await looks.getByRole('link', { name: '# general' }).click()
    await checkLook(looks, 'open-channel')
    await looks.getByRole('link', { name: 'hours' }).click()
    await checkLook(looks, 'open-topic')

    const visitor = await open(`${demo.url}/open`)
    await visitor.getByRole('link', { name: '# general' }).click()
    await visitor.getByRole('link', { name: 'hours' }).click()
    await visitor.getByRole('link', { name: 'Open in Parley' }).click()
    const message = messageWith(visitor, 'We open at')
    await message.hover()
    await visitor.getByText('You are reading Parley Demo without an account.').waitFor()
    assert.equal(await message.getByRole('button').count(), 0, 'nothing can be done with a message')
    assert.equal(await visitor.locator('#composer').count(), 0)
    await checkLook(visitor, 'visitor-topic')
    await visitor.locator('.bar .crumb').first().click()
    await visitor.getByRole('main').getByRole('link', { name: 'hours' }).waitFor()
    await checkLook(visitor, 'visitor-topics')
    await visitor.evaluate(() => window.location.assign('#narrow/channel/999999-hidden'))
    await visitor.getByText('This conversation is not open to everyone.').waitFor()
    await visitor.getByRole('main').getByRole('link', { name: 'Open channels' }).click()
    await visitor
      .getByRole('main')
      .getByRole('link', { name: /general/ })
      .waitFor()
    await checkLook(visitor, 'visitor-channels')
    await visitor.getByRole('link', { name: 'Sign in', exact: true }).click()
    await visitor.waitForURL('**/login#channels')
    const member = await open(`${demo.url}/#narrow/channel/999999-hidden`)
    await member.waitForURL('**/login#narrow/channel/999999-hidden')
  },
)
