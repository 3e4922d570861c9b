import assert from 'node:assert/strict'
import type { UserGroup } from '@parley/api/organization/groups'
import { until } from '../../../server/src/testing/until.ts'
import { journey } from '../journey.ts'
import {
  card,
  confirm,
  line,
  pick,
  toast,
  tryPermissions,
  trySelects,
  trySwitches,
  undo,
  visit,
  write,
} from '../settings-page.ts'

journey('channels are found, joined and left', async ({ demo, signIn }) => {
  const page = await signIn('Priya')
  const priya = await demo.as('priya')
  const names = async () => (await priya.call('getSubscriptions', {})).subscriptions.map(({ name }) => name)
  await visit(page, '#channels')
  await page.getByLabel('Find a channel').fill('nowhere')
  await page.getByText('No channel has this name').waitFor()
  await page.getByLabel('Find a channel').fill('kitchen')
  await page.getByRole('button', { name: 'Join kitchen' }).click()
  await toast(page, 'You joined #kitchen')
  await page.waitForSelector('[aria-label="Leave kitchen"]')
  assert.ok((await names()).includes('kitchen'))
  await undo(page)
  await page.getByRole('button', { name: 'Join kitchen' }).click()
  await page.getByRole('button', { name: 'Leave kitchen' }).click()
  await toast(page, 'You left #kitchen')
  await page.waitForSelector('[aria-label="Join kitchen"]')
  assert.ok(!(await names()).includes('kitchen'))
})

journey('a channel is created as it was described', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  const { channel_folder_id } = await olivia.call('createChannelFolder', { name: 'Projects' })
  const page = await signIn('Olivia')
  await visit(page, '#channels')
  await page.getByRole('link', { name: 'New channel' }).click()
  const create = async (name: string) => {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Create channel' }).click()
  }
  await create('launch')
  await page.waitForURL(/#channels\/\d+$/)
  await page.click('[aria-label="All channels"]')
  await page.getByRole('link', { name: 'New channel' }).click()
  await page.getByLabel('Description').fill('Getting it out')
  await page.getByLabel('Private, own history').check()
  await page.getByLabel('Folder').selectOption('Projects')
  await pick(page, 'Who may post here: add', 'Moderators')
  await page.getByLabel('Announce it').check()
  await create('launch secrets')
  await page.waitForURL(/#channels\/\d+$/)
  await page.waitForSelector('h1:has-text("#launch secrets")')
  const id = Number(page.url().split('/').at(-1))
  const { stream } = await olivia.call('getChannel', { path: { stream_id: id } })
  assert.equal(stream.description, 'Getting it out')
  assert.deepEqual([stream.invite_only, stream.history_public_to_subscribers], [true, false])
  assert.equal(stream.folder_id, channel_folder_id)
})

journey('a channel that cannot be created says why', async ({ signIn }) => {
  const page = await signIn('Olivia')
  await visit(page, '#channels/new')
  await page.context().setOffline(true)
  await page.getByLabel('Name', { exact: true }).fill('offline')
  await page.getByRole('button', { name: 'Create channel' }).click()
  await page.waitForSelector('main [role=alert]:has-text("cannot be reached")')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Create channel' }).click()
  await page.waitForURL(/#channels\/\d+$/)
})

journey(
  'the settings of a channel are changed and restored, its people added and removed',
  async ({ demo, signIn }) => {
    const olivia = await demo.as('owner')
    await olivia.call('createChannelFolder', { name: 'Places' })
    const { stream_id } = await olivia.call('getChannelId', { stream: 'kitchen' })
    const path = { stream_id }
    const channel = async () => ({ ...(await olivia.call('getChannel', { path })).stream })
    const own = async () => {
      const { subscriptions } = await olivia.call('getSubscriptions', {})
      return { ...subscriptions.find((one) => one.stream_id === stream_id)! } as Record<string, unknown>
    }
    // Undo is offered only for a choice that the API can restore.
    const notices = {
      'Desktop notification of every message': 'desktop_notifications',
      'Sound for every message': 'audible_notifications',
      'Phone notification of every message': 'push_notifications',
      'Email about every message': 'email_notifications',
      'Mentions of everyone': 'wildcard_mentions_notify',
    } as const
    for (const property of Object.values(notices))
      await olivia.call('updateSubscription', { path, property, value: false })
    const page = await signIn('Olivia')
    await visit(page, `#channels/${stream_id}`)
    const switches = await trySwitches(page, own)
    assert.ok(switches.Muted!.includes('is_muted'))
    assert.deepEqual(switches.Pinned, ['pin_to_top'])
    for (const [label, property] of Object.entries(notices)) assert.deepEqual(switches[label], [property])
    const color = page.getByLabel('Color')
    const before = await color.inputValue()
    await color.fill('#123456')
    await color.blur()
    await until(async () => (await own()).color === '#123456')
    await undo(page)
    await until(async () => (await color.inputValue()) === before)
    assert.equal((await own()).color, before)

    await write(page, 'Name', 'canteen')
    await page.waitForSelector('h1:has-text("#canteen")')
    assert.equal((await channel()).name, 'canteen')
    await undo(page)
    await page.waitForSelector('h1:has-text("#kitchen")')
    await write(page, 'Name', 'general')
    await page.waitForSelector('.toast.error')
    await page.getByLabel('Name', { exact: true }).press('Escape')
    await write(page, 'Description', 'Food')
    await until(async () => (await channel()).description === 'Food')
    await undo(page)
    const selects = await trySelects(page, channel)
    assert.deepEqual(Object.keys(selects), ['Who finds and reads it', 'Folder', 'Messages are kept'])
    assert.ok(selects['Who finds and reads it']!.includes('invite_only'))
    assert.deepEqual(selects.Folder, ['folder_id'])
    assert.deepEqual(selects['Messages are kept'], ['message_retention_days'])
    for (const [name, changed] of Object.entries(await tryPermissions(page, channel)))
      assert.equal(changed.filter((one) => one.endsWith('_group')).length, 1, name)

    const members = async () => (await olivia.call('getChannelMembers', { path })).subscribers.length
    const count = await members()
    await pick(page, 'Add a person', 'Gil')
    await page.getByRole('button', { name: 'Remove Gil' }).waitFor()
    assert.equal(await members(), count + 1)
    await undo(page)
    await page.getByRole('button', { name: 'Remove Gil' }).waitFor({ state: 'detached' })
    await pick(page, 'Add a person', 'Gil')
    await page.getByRole('button', { name: 'Remove Gil' }).click()
    await toast(page, 'Gil was removed')
    await page.getByRole('button', { name: 'Remove Gil' }).waitFor({ state: 'detached' })
    assert.equal(await members(), count)

    await confirm(page.getByRole('button', { name: 'Archive' }))
    await toast(page, '#kitchen was archived')
    await page.waitForURL(/#channels$/)
    await page.waitForSelector('[aria-label="Leave general"]')
    assert.equal(await page.locator('[aria-label="Settings of kitchen"]').count(), 0)
    assert.equal((await channel()).is_archived, true)
    await undo(page)
    await page.waitForSelector('[aria-label="Settings of kitchen"]')
    assert.equal((await channel()).is_archived, false)
  },
)

journey('members change of a channel only what is theirs', async ({ demo, signIn }) => {
  const { stream_id } = await (await demo.as('owner')).call('getChannelId', { stream: 'general' })
  const page = await signIn('Marta')
  await visit(page, `#channels/${stream_id}`)
  assert.ok(await page.getByLabel('Name', { exact: true }).isDisabled())
  assert.equal(await page.locator('main select:enabled').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Archive' }).count(), 0)
  await page.goto(`${demo.url}/#channels/999999`)
  await page.getByText("This channel doesn't exist or you don't have access").waitFor()
})

journey('groups: created, renamed, filled, joined, left and deactivated', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const olivia = await demo.as('owner')
  await visit(page, '#groups')
  const form = card(page, 'New group')
  const create = async (name: string) => {
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Description').fill('They write')
    await form.getByRole('button', { name: 'Create group' }).click()
  }
  await create('editors')
  await page.waitForURL(/#groups\/\d+$/)
  await page.getByRole('link', { name: 'All groups' }).click()
  await create('editors')
  await form.locator('[role=alert]').waitFor()
  await create('authors')
  await page.waitForURL(/#groups\/\d+$/)
  const id = Number(page.url().split('/').at(-1))
  const group = async () =>
    (await olivia.call('getUserGroups', {})).user_groups.find((one) => one.id === id) as UserGroup

  await write(page, 'Name', 'writers')
  await until(async () => (await group()).name === 'writers')
  await undo(page)
  await write(page, 'Description', 'They draw')
  await until(async () => (await group()).description === 'They draw')
  await undo(page)
  await pick(page, 'Add a person or group', 'Marta')
  await page.getByRole('button', { name: 'Remove Marta' }).waitFor()
  assert.equal((await group()).members.length, 2)
  await undo(page)
  await page.getByRole('button', { name: 'Remove Marta' }).waitFor({ state: 'detached' })
  await pick(page, 'Add a person or group', 'Marta')
  await page.getByRole('button', { name: 'Remove Marta' }).click()
  await page.getByRole('button', { name: 'Remove Marta' }).waitFor({ state: 'detached' })
  await pick(page, 'Add a person or group', 'editors')
  await page.getByRole('button', { name: 'Remove editors' }).click()
  await page.getByRole('button', { name: 'Remove editors' }).waitFor({ state: 'detached' })
  assert.deepEqual((await group()).direct_subgroup_ids, [])
  for (const [name, changed] of Object.entries(await tryPermissions(page, async () => ({ ...(await group()) }))))
    assert.equal(changed.length, 1, name)

  const members = (await olivia.call('getUserGroups', {})).user_groups.find(({ name }) => name === 'role:members')!
  const { can_join_group } = await group()
  const change = { new: members.id, old: can_join_group }
  await olivia.call('updateUserGroup', { path: { user_group_id: id }, can_join_group: change })
  const marta = await signIn('Marta')
  await visit(marta, '#groups')
  await marta.getByRole('link', { name: 'Open authors' }).click()
  await line(marta, 'authors').waitFor()
  assert.equal(await marta.getByLabel('Name', { exact: true }).count(), 0)
  await marta.getByRole('button', { name: 'Join' }).click()
  await page.getByText('Marta').first().waitFor() // the other browser sees it
  assert.equal((await group()).members.length, 2)
  await marta.getByRole('button', { name: 'Remove Marta' }).click()
  await until(async () => (await group()).members.length === 1)

  await confirm(page.getByRole('button', { name: 'Deactivate' }))
  await page.waitForURL(/#groups$/)
  await line(page, '@editors').waitFor()
  assert.equal(await line(page, '@authors').count(), 0)
  assert.equal(
    (await olivia.call('getUserGroups', {})).user_groups.some((one) => one.id === id),
    false,
  )
})

journey('of a large group the first members are shown, and all on demand', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  const newBot = async (number: number) =>
    (await olivia.call('createBot', { full_name: `Bot ${number}`, short_name: `bot-${number}`, bot_type: 1 })).user_id
  const members = await Promise.all(Array.from({ length: 55 }, (_, number) => newBot(number)))
  const { group_id } = await olivia.call('createUserGroup', { name: 'many', description: '', members })
  const page = await signIn('Olivia')
  await visit(page, `#groups/${group_id}`)
  const rows = page.locator('main .line-item:has-text("Bot ")')
  await until(async () => (await rows.count()) === 50)
  await page.click('button:has-text("Show all 55")')
  await until(async () => (await rows.count()) === 55)
})

journey('groups of roles are shown, not edited, and a group that is deactivated elsewhere disappears', async (way) => {
  const olivia = await way.demo.as('owner')
  const page = await way.signIn('Olivia')
  await visit(page, '#groups/2')
  await line(page, 'Owners').waitFor()
  assert.equal(await page.locator('main input').count(), 0)
  const { group_id } = await olivia.call('createUserGroup', { name: 'short-lived', description: '', members: [] })
  await page.evaluate(`location.hash = '#groups/${group_id}'`)
  await page.getByRole('button', { name: 'Deactivate' }).waitFor()
  await olivia.call('deactivateUserGroup', { path: { user_group_id: group_id } })
  await card(page, 'New group').waitFor()
})

journey('people who are added to a channel elsewhere appear', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  const { stream_id } = await olivia.call('getChannelId', { stream: 'general' })
  const { user_id } = await olivia.call('createBot', { full_name: 'Late', short_name: 'late', bot_type: 1 })
  const page = await signIn('Olivia')
  await visit(page, `#channels/${stream_id}`)
  await page.getByRole('button', { name: 'Remove Marta' }).waitFor()
  await olivia.call('subscribe', { subscriptions: [{ name: 'general' }], principals: [user_id] })
  await page.getByRole('button', { name: 'Remove Late' }).waitFor()
})

journey('guests are not offered to add people to a channel or to create one', async ({ demo, signIn }) => {
  const { stream_id } = await (await demo.as('guest')).call('getChannelId', { stream: 'visitors' })
  const page = await signIn('Gil')
  await visit(page, `#channels/${stream_id}`)
  await page.getByRole('button', { name: 'Remove Gil' }).waitFor()
  assert.equal(await page.getByRole('combobox', { name: 'Add a person' }).count(), 0)
  await visit(page, '#channels/new')
  await page.waitForSelector('h1:text-is("Channels")')
})

journey('administrators are not offered to join a private channel that they cannot read', async ({ demo, signIn }) => {
  await (await demo.as('owner')).call('subscribe', { subscriptions: [{ name: 'vault' }], invite_only: true })
  const page = await signIn('Amir')
  await visit(page, '#channels')
  await page.waitForSelector('[aria-label="Settings of vault"]')
  assert.equal(await page.getByRole('button', { name: 'Join vault' }).count(), 0)
})

journey('an archived channel says so, and is reactivated', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  await olivia.call('subscribe', { subscriptions: [{ name: 'attic' }] })
  const { stream_id } = await olivia.call('getChannelId', { stream: 'attic' })
  const page = await signIn('Olivia')
  await visit(page, `#channels/${stream_id}`)
  await olivia.call('archiveChannel', { path: { stream_id } })
  await line(page, 'Archived').getByRole('button', { name: 'Reactivate' }).click()
  await page.getByRole('button', { name: 'Archive', exact: true }).waitFor()
  assert.equal((await olivia.call('getChannel', { path: { stream_id } })).stream.is_archived, false)
})
