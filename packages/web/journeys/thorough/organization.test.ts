import assert from 'node:assert/strict'
import { until } from '../../../server/src/testing/until.ts'
import { journey } from '../journey.ts'
import {
  card,
  confirm,
  image,
  line,
  pick,
  stateOf,
  toast,
  tryPermissions,
  trySelects,
  trySwitches,
  undo,
  visit,
  write,
} from '../settings-page.ts'

journey('organization: its profile, rules and domains are changed and restored', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const olivia = await demo.as('owner')
  const read = stateOf(olivia, 'realm')
  await visit(page, '#organization/profile')
  await write(page, 'Name', 'Parley Works')
  await page.waitForSelector('.side h2:has-text("Parley Works")')
  assert.equal((await read()).realm_name, 'Parley Works')
  await undo(page)
  await write(page, 'Description', 'We build *chat*.')
  await until(async () => (await read()).realm_description === 'We build *chat*.')
  await page.setInputFiles('[aria-label="Icon file"]', { ...image, buffer: Buffer.from('no image') })
  await page.waitForSelector('.toast.error')
  await page.setInputFiles('[aria-label="Icon file"]', image)
  await toast(page, 'Icon saved')
  assert.equal((await read()).realm_icon_source, 'U')
  await page.waitForSelector('img.org-icon')
  await line(page, 'Icon').getByRole('button', { name: 'Remove' }).click()
  await toast(page, 'The default icon is back')
  assert.equal((await read()).realm_icon_source, 'G')

  assert.deepEqual(await trySwitches(page, read), {
    'Only by invitation': ['realm_invite_required'],
    'Only with emails of our domains': ['realm_emails_restricted_to_domains'],
    'No disposable emails': ['realm_disallow_disposable_email_addresses'],
    'Channels can be open to everyone': ['realm_enable_spectator_access'],
    'Messages can be edited': ['realm_allow_message_editing'],
    'Every message needs a topic': ['realm_mandatory_topics'],
    'Read receipts': ['realm_enable_read_receipts'],
    'Previews of images': ['realm_inline_image_preview'],
    'Previews of linked pages': ['realm_inline_url_embed_preview'],
    'Text of messages in emails': ['realm_message_content_allowed_in_email_notifications'],
    'Names are fixed': ['realm_name_changes_disabled'],
    'Emails are fixed': ['realm_email_changes_disabled'],
    'Images are fixed': ['realm_avatar_changes_disabled'],
    'Names are unique': ['realm_require_unique_names'],
  })
  assert.deepEqual(await trySelects(page, read), {
    'Time for editing': ['realm_message_content_edit_limit_seconds'],
    'Time for deleting': ['realm_message_content_delete_limit_seconds'],
    'Time for moving to another topic': ['realm_move_messages_within_stream_limit_seconds'],
    'Time for moving to another channel': ['realm_move_messages_between_streams_limit_seconds'],
    'Visible history of a message': ['realm_message_edit_history_visibility_policy', 'realm_allow_edit_history'],
    'Messages are kept': ['realm_message_retention_days'],
    'Channel for reports of messages': ['realm_moderation_request_channel_id'],
    'Two-step sign-in is required': ['realm_second_factor_required_from'],
  })

  await page.getByRole('switch', { name: 'Previews of linked pages' }).click()
  await page.getByRole('switch', { name: 'Previews in private channels and direct messages' }).click()
  await write(page, 'Only pages of these domains', 'example.org')
  await until(async () => {
    const { realm_preview_private_conversations, realm_preview_domains_allowed } = await read()
    return realm_preview_private_conversations === true && realm_preview_domains_allowed === 'example.org'
  })

  const domains = async () => (await olivia.call('getDomains')).domains
  const form = card(page, 'Email domains')
  await form.getByLabel('New domain').fill('no domain')
  await form.getByRole('button', { name: 'Add' }).click()
  await form.locator('[role=alert]').waitFor()
  await form.getByLabel('New domain').fill('example.org')
  await form.getByLabel('With subdomains').check()
  await form.getByRole('button', { name: 'Add' }).click()
  await line(form, 'example.org').waitFor()
  assert.deepEqual(await domains(), [{ domain: 'example.org', allow_subdomains: true }])
  await form.getByRole('button', { name: 'Remove example.org' }).click()
  await form.getByText('No domains yet').waitFor()
  await undo(page)
  assert.deepEqual(await domains(), [{ domain: 'example.org', allow_subdomains: true }])
})

journey('permissions: each one can be given to more people, and taken back', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const read = stateOf(await demo.as('owner'), 'realm')
  await visit(page, '#organization/permissions')
  const changed = Object.values(await tryPermissions(page, read))
  const { server_supported_permission_settings: supported } = await read()
  const isUnused = (name: string) => /billing|summarize/.test(name) // they have no effect, and are not offered
  for (const name of Object.keys((supported as { realm: object }).realm))
    assert.equal(changed.filter((names) => names.includes(`realm_${name}`)).length, isUnused(name) ? 0 : 1, name)
  const emoji = page.locator('.who-line:has-text("Who may add emoji")')
  await emoji.locator('input').fill('Gil')
  await emoji.locator('[role=option]:has-text("Gil")').click()
  await emoji.locator('.chip:has-text("Gil")').waitFor()
  await emoji.getByRole('button', { name: 'Remove Gil' }).click()
  await emoji.locator('.chip:has-text("Gil")').waitFor({ state: 'detached' })
})

journey('members: roles, password links, sessions, deactivation', async ({ demo, signIn }) => {
  const page = await signIn('Amir')
  const [amir, jonas] = [await demo.as('admin'), await demo.as('jonas')]
  const { user_id } = await jonas.call('getOwnUser', {})
  const user = async () => (await amir.call('getUser', { path: { user_id } })).user
  await visit(page, '#organization/members')
  await page.getByLabel('Find a person').fill('jon')
  await until(async () => (await page.locator('main .line-item').count()) === 1)
  await page.getByLabel('Role of Jonas').selectOption('Moderator')
  await toast(page, 'Saved')
  assert.equal((await user()).role, 300)
  await undo(page)
  await until(async () => (await user()).role === 400)
  const manage = async (entry: string) => {
    await page.click('[aria-label="Manage Jonas"]')
    await page.click(`[role=menuitem]:has-text("${entry}")`)
  }
  await manage('Send a password link')
  await toast(page, 'A link was sent to Jonas')
  await manage('End sessions and keys')
  await toast(page, 'Jonas is signed out everywhere')
  await assert.rejects(jonas.call('getOwnUser', {}))
  await manage('Deactivate')
  await toast(page, 'Jonas was deactivated')
  await page.getByText('No members match').waitFor()
  await undo(page)
  await page.getByLabel('Role of Jonas').waitFor()
  assert.equal((await user()).is_active, true)
  await manage('Deactivate')
  await page.getByRole('button', { name: 'Deactivated', exact: true }).click()
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await toast(page, 'Jonas was reactivated')
  assert.equal((await user()).is_active, true)
  await page.getByRole('button', { name: 'Active', exact: true }).click()
  await page.getByLabel('Role of Jonas').waitFor()
  await page.getByLabel('Find a person').fill('Olivia')
  await page.waitForSelector('main .line-item .tag:has-text("Owner")')
})

journey('invitations: by email and by link, copied, sent again and revoked', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const olivia = await demo.as('owner')
  const invites = async () => (await olivia.call('getInvitations')).invites
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visit(page, '#organization/invitations')
  const form = card(page, 'Invite people')
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  await form.getByText('Enter at least one email').waitFor()
  await form.getByLabel('Emails').fill('admin@example.com')
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  await form.locator('[role=alert]').waitFor()
  await form.getByLabel('Emails').fill('new@example.com')
  await form.getByLabel('They join as').selectOption('Moderator')
  await form.getByLabel('Expires').selectOption('Never')
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  const list = card(page, 'Open invitations')
  const invited = line(list, 'new@example.com')
  await invited.waitFor()
  const [one] = await invites()
  assert.deepEqual([one!.email, one!.invited_as, one!.expiry_date], ['new@example.com', 300, null])
  await invited.getByRole('button', { name: 'Resend' }).click()
  await toast(page, 'Sent again')
  await confirm(invited.getByRole('button', { name: 'Revoke' }))
  await list.getByText('There are no open invitations').waitFor()
  assert.deepEqual(await invites(), [])

  await page.getByRole('button', { name: 'Create link' }).click()
  await form.getByRole('button', { name: 'Copy' }).click()
  await toast(page, 'Copied')
  const link = line(list, 'Link for many people')
  await link.getByRole('button', { name: 'Copy link' }).click()
  await toast(page, 'Copied')
  const url = await page.evaluate(() => navigator.clipboard.readText())
  assert.ok((await page.request.get(url)).ok())
  await confirm(link.getByRole('button', { name: 'Revoke' }))
  await list.getByText('There are no open invitations').waitFor()
  assert.deepEqual(await invites(), [])
})

journey('default channels and folders are added, ordered, renamed and removed', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const olivia = await demo.as('owner')
  const defaults = stateOf(olivia, 'default_streams')
  const ids = async () => (await defaults()).realm_default_streams as number[]
  const before = await ids()
  await visit(page, '#organization/channels')
  await pick(page, 'Add a default channel', 'kitchen')
  await line(card(page, 'Default channels'), 'kitchen').waitFor()
  assert.equal((await ids()).length, before.length + 1)
  await undo(page)
  await line(card(page, 'Default channels'), 'kitchen').waitFor({ state: 'detached' })
  await pick(page, 'Add a default channel', 'kitchen')
  await page.getByRole('button', { name: 'Remove kitchen' }).click()
  await line(card(page, 'Default channels'), 'kitchen').waitFor({ state: 'detached' })
  assert.deepEqual(await ids(), before)

  const folders = async () => (await olivia.call('getChannelFolders')).channel_folders.map(({ name }) => name)
  const form = card(page, 'Folders')
  for (const name of ['Work', 'Fun']) {
    await form.getByLabel('New folder').fill(name)
    await form.getByRole('button', { name: 'Create folder' }).click()
    await until(async () => (await folders()).includes(name))
    await until(async () => (await form.getByLabel('New folder').inputValue()) === '')
  }
  await form.getByLabel('New folder').fill('Fun')
  await form.getByRole('button', { name: 'Create folder' }).click()
  await form.locator('[role=alert]').waitFor()
  await form.getByRole('button', { name: 'Move Fun up' }).click()
  await until(async () => (await form.getByLabel('Folder 1').inputValue()) === 'Fun')
  assert.deepEqual(await folders(), ['Fun', 'Work'])
  await undo(page)
  await until(async () => (await form.getByLabel('Folder 1').inputValue()) === 'Work')
  await write(form, 'Folder 1', 'Jobs')
  await until(async () => (await folders())[0] === 'Jobs')
  await undo(page)
  await until(async () => (await folders())[0] === 'Work')
  await form.getByRole('button', { name: 'Archive Work' }).click()
  await until(async () => (await folders()).length === 1)
  await undo(page)
  await until(async () => (await folders()).length === 2)
})

journey('emoji are added and removed', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const marta = await demo.as('member')
  const names = async () =>
    Object.values((await marta.call('getEmoji')).emoji)
      .filter(({ deactivated }) => !deactivated)
      .map(({ name }) => name)
  await visit(page, '#organization/emoji')
  const add = async (name: string, file = image) => {
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Image').setInputFiles(file)
    await page.getByRole('button', { name: 'Add emoji' }).click()
  }
  await add('no image', { ...image, buffer: Buffer.from('text') })
  await page.locator('main [role=alert]').waitFor()
  await add('Party Ship')
  await line(page, ':party_ship:').waitFor()
  assert.deepEqual(await names(), ['party_ship'])
  await confirm(page.getByRole('button', { name: 'Remove' }))
  await page.getByText('No custom emoji yet').waitFor()
  assert.deepEqual(await names(), [])
})

journey('linkifiers and playgrounds are tried, added, ordered and removed', async ({ demo, signIn }) => {
  const page = await signIn('Amir')
  const amir = await demo.as('admin')
  const patterns = async () => (await amir.call('getLinkifiers')).linkifiers.map(({ pattern }) => pattern)
  await visit(page, '#organization/linkifiers')
  const form = card(page, 'Linkifiers')
  const add = async (pattern: string) => {
    await form.getByLabel('Pattern').fill(pattern)
    await form.getByRole('button', { name: 'Add linkifier' }).click()
  }
  await form.getByText('https://example.com/issues/123').waitFor()
  await form.getByLabel('Try it with').fill('nothing here')
  await form.getByText('Nothing in this text matches').waitFor()
  await form.getByLabel('Try it with').fill('see #7 and T7')
  await form.getByLabel('URL').fill('https://example.com/{id}')
  await form.getByText('https://example.com/7').waitFor()
  await add('(')
  await form.getByText('This pattern is not valid').waitFor()
  await form.locator('[role=alert]').waitFor()
  await add('#(?P<id>[0-9]+)')
  await form.getByRole('button', { name: 'Remove #(?P<id>[0-9]+)' }).waitFor()
  await add('T(?P<id>[0-9]+)')
  await form.getByRole('button', { name: 'Move T(?P<id>[0-9]+) up' }).click()
  await until(async () => (await patterns())[0] === 'T(?P<id>[0-9]+)')
  await undo(page)
  assert.deepEqual(await patterns(), ['#(?P<id>[0-9]+)', 'T(?P<id>[0-9]+)'])
  await form.getByRole('button', { name: 'Remove #(?P<id>[0-9]+)' }).click()
  await toast(page, 'Removed')
  assert.deepEqual(await patterns(), ['T(?P<id>[0-9]+)'])
  await undo(page)
  assert.deepEqual(await patterns(), ['#(?P<id>[0-9]+)', 'T(?P<id>[0-9]+)'], 'at its place')

  const code = card(page, 'Code playgrounds')
  const playgrounds = stateOf(amir, 'realm_playgrounds')
  const list = async () => (await playgrounds()).realm_playgrounds as unknown[]
  const addPlayground = async (url: string) => {
    for (const [label, text] of Object.entries({ Name: 'Try Rust', Language: 'rust', URL: url }))
      await code.getByLabel(label).fill(text)
    await code.getByRole('button', { name: 'Add playground' }).click()
  }
  await addPlayground('nowhere')
  await code.locator('[role=alert]').waitFor()
  await addPlayground('https://play.example.com/?code={code}')
  await code.getByRole('button', { name: 'Remove Try Rust' }).click()
  await code.getByText('No playgrounds yet').waitFor()
  assert.deepEqual(await list(), [])
  await undo(page)
  await code.getByRole('button', { name: 'Remove Try Rust' }).waitFor()
  assert.equal((await list()).length, 1)
})

journey('profile fields are created, edited, ordered and deleted', async ({ demo, signIn }) => {
  const page = await signIn('Amir')
  const amir = await demo.as('admin')
  const fields = async () => (await amir.call('getProfileFields')).custom_fields
  await visit(page, '#organization/profile-fields')
  const form = card(page, 'New field')
  const add = async (name: string, kind: string, options?: string) => {
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Hint').fill('a hint')
    await form.getByLabel('Kind of field').selectOption(kind)
    if (options) await form.getByLabel('Options').fill(options)
    await form.getByRole('button', { name: 'Add field' }).click()
    await page
      .getByRole('button', { name: `Edit ${name}` })
      .or(form.locator('[role=alert]'))
      .first()
      .waitFor()
  }
  const kinds = ['Short text', 'Long text', 'Date', 'Link', 'People', 'Pronouns']
  for (const kind of kinds) await add(`${kind}!`, kind)
  await add('Office', 'List of options', 'Lisbon\nOslo')
  assert.deepEqual(
    (await fields()).map(({ type }) => type),
    [1, 2, 4, 5, 6, 8, 3],
  )
  await add('Office', 'Short text')
  await form.locator('[role=alert]').waitFor()
  await page.getByRole('button', { name: 'Move Office up' }).click()
  await until(async () => (await fields()).at(-2)!.name === 'Office')
  await undo(page)
  await until(async () => (await fields()).at(-1)!.name === 'Office')

  await page.getByRole('button', { name: 'Edit Office' }).click()
  const list = card(page, 'Profile fields')
  await write(list, 'Name', 'Site')
  await until(async () => (await fields()).at(-1)!.name === 'Site')
  await undo(page)
  await write(list, 'Hint', 'Where you sit')
  await until(async () => (await fields()).at(-1)!.hint === 'Where you sit')
  const field = async () => ({ ...(await fields()).at(-1)! })
  assert.deepEqual(await trySwitches(page, field), {
    Required: ['required'],
    'People edit it themselves': ['editable_by_user'],
    'Shown in the short profile': ['display_in_profile_summary'],
  })
  await confirm(list.getByRole('button', { name: 'Delete' }))
  await toast(page, 'Deleted')
  assert.equal((await fields()).length, 6)
})

journey('the bots of others are found and managed', async ({ demo, signIn }) => {
  const marta = await demo.as('member')
  await marta.call('createBot', { full_name: 'Helper', short_name: 'helper', bot_type: 1 })
  const page = await signIn('Amir')
  await visit(page, '#organization/bots')
  await page.getByLabel('Find a bot').fill('none')
  await page.getByText('No bots yet').waitFor()
  await page.getByLabel('Find a bot').fill('help')
  await line(page, 'Helper').getByRole('button', { name: 'Manage' }).click()
  await confirm(page.getByRole('button', { name: 'Deactivate' }))
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByRole('button', { name: 'New key' }).waitFor()
  await page.click('a:has-text("Create a bot")')
  await page.waitForURL(/#settings\/bots$/)
})

journey('exports are started, downloaded and deleted', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const olivia = await demo.as('owner')
  await visit(page, '#organization/exports')
  for (const name of ['Public data', 'With private data of people who agreed']) {
    const before = await page.getByRole('link', { name: 'Download' }).count()
    await line(card(page, 'New export'), name).getByRole('button', { name: 'Export' }).click()
    await toast(page, 'The export was started')
    await until(async () => (await page.getByRole('link', { name: 'Download' }).count()) === before + 1)
  }
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).first().click(),
  ])
  assert.match(download.suggestedFilename(), /\.(zip|tar\.gz)$/)
  await confirm(page.getByRole('button', { name: 'Delete' }).first())
  await until(async () => (await page.getByRole('link', { name: 'Download' }).count()) === 1)
  const { exports } = await olivia.call('getExports')
  assert.equal(exports.filter(({ deleted_timestamp }) => deleted_timestamp !== null).length, 1)
})

journey('a moderator restores a deleted message, and gets the way to it', async ({ demo, signIn }) => {
  const author = await demo.as('owner')
  const { id } = await author.call('sendMessage', {
    type: 'channel',
    to: 'general',
    topic: 'restored',
    content: 'lost',
  })
  await author.call('deleteMessage', { path: { message_id: id } })
  const page = await signIn('Mei')
  await visit(page, '#organization/deleted-messages')
  const entry = page.getByRole('article', { name: 'Deleted message from Olivia' }).filter({ hasText: 'lost' })
  await entry.getByText('Deleted by its author').waitFor()
  await entry.getByRole('button', { name: 'Restore' }).click()
  await toast(page, 'The message is back where it was.')
  await page.locator(':focus').filter({ hasText: 'Show message' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.msg', { hasText: 'lost' }).waitFor()
  assert.equal((await author.call('getMessage', { path: { message_id: id } })).message.content, '<p>lost</p>')
})

journey('failed jobs are retried and deleted', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  const add = async () => {
    const later = `now() + interval '1 day'` // otherwise the server would run it
    await demo.sql(`select jobs.add_job('delete_file',
      json_build_object('realm_id', (select id from realms), 'path', 'none'), run_at => ${later})`)
    await demo.sql(
      `update jobs.jobs set attempts = max_attempts, last_error = 'disk full' where run_at > ${later} - interval '1 minute'`,
    )
  }
  const page = await signIn('Olivia')
  await visit(page, '#organization/jobs')
  await page.getByText('No background job has failed').waitFor()
  await add()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByText('disk full').waitFor()
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('No background job has failed').waitFor()
  await add()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await confirm(page.getByRole('button', { name: 'Delete' }))
  await page.getByText('No background job has failed').waitFor()
  assert.deepEqual((await olivia.call('getFailedJobs')).jobs, [])
})

journey('a shorter retention period is asked about, with the number of messages that go', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const olivia = await demo.as('owner')
  const days = async () => (await stateOf(olivia, 'realm')()).realm_message_retention_days
  const { count } = await olivia.call('countExpiredMessages', { message_retention_days: 30 })
  await visit(page, '#organization/profile')
  const select = page.getByLabel('Messages are kept')
  await select.selectOption('30 days')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(count === 0 ? 'No message is that old yet' : `${count} message`).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await select.locator('option:checked').textContent(), 'Forever')
  assert.equal(await days(), -1)
  await select.selectOption('90 days')
  await dialog.getByRole('button', { name: 'Delete older messages' }).click()
  await until(async () => (await days()) === 90)
  await select.selectOption('Forever') // nothing is deleted, so nothing is asked
  await until(async () => (await days()) === -1)
})

journey('guests are invited to the channels that are chosen for them, and to no others', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const { stream_id } = await (await demo.as('owner')).call('getChannelId', { stream: 'kitchen' })
  await visit(page, '#organization/invitations')
  const form = card(page, 'Invite people')
  await form.getByLabel('They join as').selectOption('Guest')
  assert.equal(await form.locator('.chip').count(), 0)
  await form.getByLabel('They join as').selectOption('Member')
  assert.ok((await form.locator('.chip').count()) > 0, 'members start with the default channels')
  await form.getByLabel('They join as').selectOption('Guest')
  await pick(page, 'Add a channel', 'kitchen')
  await form.getByLabel('Emails').fill('new-guest@example.com')
  const sent = page.waitForRequest(
    (request) => request.url().endsWith('/api/v1/invites') && request.method() === 'POST',
  )
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  const request = await sent
  await request.response() // the next journey counts invitations
  const params = new URLSearchParams(request.postData()!)
  assert.deepEqual([params.get('invite_as'), params.get('stream_ids')], ['600', `[${stream_id}]`])
  assert.notEqual(params.get('include_realm_default_subscriptions'), 'true')
})

journey('a double click creates one invitation link', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  const count = async () => (await olivia.call('getInvitations')).invites.length
  const before = await count()
  const page = await signIn('Olivia')
  await visit(page, '#organization/invitations')
  const create = page.getByRole('button', { name: 'Create link' })
  await create.dblclick()
  await page.waitForSelector('main .note')
  // The server was quick: the second click comes when the first one is done.
  await page.waitForSelector('[aria-disabled=false]:has-text("Create link")')
  await create.dispatchEvent('click', { detail: 2 })
  await page.getByRole('button', { name: 'Revoke' }).first().waitFor()
  assert.equal(await count(), before + 1)
})

journey('invitation links are offered only to those who may create them', async ({ signIn }) => {
  const page = await signIn('Marta')
  await visit(page, '#organization/invitations')
  await page.getByRole('button', { name: 'Invite', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create link' }).count(), 0)
})

journey(
  'a member is suspended until a time, which the sign-in page names, and returns earlier',
  async ({ demo, open, signIn }) => {
    const page = await signIn('Olivia')
    await visit(page, '#organization/members')
    await page.getByRole('button', { name: 'Manage Jonas' }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    await page.getByLabel('Until').fill('2027-03-01T09:30')
    await page.getByRole('button', { name: 'Suspend', exact: true }).click()
    await toast(page, 'Jonas is suspended until')
    await page.getByText('Deactivated', { exact: true }).click()
    await line(page, 'Jonas').getByText('Suspended until').waitFor()

    const other = await open(`${demo.url}/login`)
    await other.fill('#email', 'jonas@example.com')
    await other.fill('#password', 'parley-demo')
    await other.click('.primary')
    await other.getByText('Your account is suspended until 2027-03-01').waitFor()

    await line(page, 'Jonas').getByRole('button', { name: 'Reactivate' }).click()
    await toast(page, 'Jonas was reactivated')
    await other.fill('#password', 'parley-demo')
    await other.click('.primary')
    await other.waitForURL(`${demo.url}/`)
  },
)
