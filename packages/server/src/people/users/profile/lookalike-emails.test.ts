import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount, createUser, updateUser } from '@parley/api/identity/accounts'
import { sendInvitations } from '@parley/api/identity/invitations'
import { addDomain } from '@parley/api/organization/domains'
import { updateRealm } from '@parley/api/organization/realm'
import { updateSettings } from '@parley/api/people/own-settings'
import { transactIn } from '../../../context.ts'
import { migrate } from '../../../platform/db/migrating/migrate.ts'
import { createPool } from '../../../platform/db/pool.ts'
import { emailKey } from '../../../platform/emails.ts'
import { mailingWorld } from '../../../testing/mailing-world.ts'
import { newWorld } from '../../../testing/world.ts'
import { grant } from '../actions.ts'

/** Each counts as an email at corp.example, or as another one's, for some software. */
const lookalikes = [
  'mallory\uFF20corp.example@evil.test',
  'mallory\uFE6Bcorp.example@evil.test',
  '\uFF4Fwner@corp.example',
  '\u212Aate@corp.example',
  'owner@\uFF43orp.example',
  'ﬁ@corp.example',
  '\u202Eowner@corp.example',
  'ow\u200Bner@corp.example',
  'owner\uFE0F@corp.example',
  'owner\u034F@corp.example',
  'owner\u115F@corp.example',
  'mallory@evil.test#.corp.example',
  'mallory@evil.test/.corp.example',
  'mallory@corp\u3002example',
  'mallory@corp.example.',
]
const account = { full_name: 'Nora', password: 'correct horse battery' }

test('emails with characters that look like others, or like nothing, are refused wherever an email is given', async () => {
  const { olga, ann, ctx, realmId } = await newWorld()
  await transactIn(ctx, realmId, (tx) => grant(tx, olga.id, ['can_change_user_emails', 'can_create_users']))
  for (const email of lookalikes) {
    const { errors } = await olga.isRefused(sendInvitations, { invitee_emails: email })
    assert.deepEqual(errors, [[email, 'Invalid email address', false]])
    const path = { user_id: ann.id }
    assert.equal((await ann.isRefused(updateSettings, { email })).msg, 'Invalid email address')
    assert.equal((await olga.isRefused(createUser, { ...account, email })).msg, 'Invalid email address')
    assert.equal((await olga.isRefused(createAccount, { ...account, email })).msg, 'Invalid email address')
    assert.equal((await olga.isRefused(updateUser, { path, new_email: email })).msg, 'Invalid email address')
  }
})

test('nobody joins an organization of one domain with an email of another', async (t) => {
  const { olga, app, host, receiver } = await mailingWorld(t)
  await olga.does(addDomain, { domain: 'corp.example', allow_subdomains: true })
  await olga.does(updateRealm, { emails_restricted_to_domains: true, invite_required: false })
  const signsUp = (email: string) =>
    app.inject({
      method: 'POST',
      url: '/join',
      payload: new URLSearchParams({ email }).toString(),
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    })
  for (const email of [
    ...lookalikes,
    'mallory@evil.test',
    'mallory@corp.example.evil.test',
    'mallory@evilcorp.example',
  ])
    assert.equal((await signsUp(email)).statusCode, 400, email)
  assert.equal((await signsUp('Nora@CORP.example')).statusCode, 200)
  assert.ok(receiver.mail.every(({ to }) => /nora@corp\.example>/i.test(to)))
})

test('emails are compared in lower case only', () => {
  assert.equal(emailKey('Ann@Example.COM'), 'ann@example.com')
  assert.equal(emailKey('ÄNN@example.com'), 'änn@example.com')
  assert.equal(emailKey('\uFF4Fwner@example.com'), '\uFF4Fwner@example.com')
  const all = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff)
  const taken = all
    .map((code) => String.fromCodePoint(code))
    .filter((one) => {
      const isCompatible = one.normalize('NFKC') !== one
      return isCompatible && emailKey(one).normalize('NFKC') === emailKey(one)
    })
  assert.deepEqual(taken, [])
})

test('the migration gives each account the key of its own email', async () => {
  const { ann, ben, gus, realmId, ownerUrl } = await newWorld()
  const owner = createPool({ url: ownerUrl, log: () => {} })
  const stored: [id: number, email: string, oldKey: string][] = [
    [ann.id, '\uFF2Fwner@Example.com', 'owner@example.com'],
    [ben.id, '\u212Aate@example.com', 'kate@example.com'],
    [gus.id, 'Zoe\u0301@example.com', 'zoé@example.com'],
  ]
  for (const values of stored) await owner.query('update users set email = $2, email_key = $3 where id = $1', values)
  await owner.query(
    `insert into provisioned_users (realm_id, user_id, user_name, user_name_key) values ($1, $2, 'ｏ', 'o')`,
    [realmId, ann.id],
  )

  await owner.query(`delete from migrations where name like '0400%'`)
  assert.deepEqual(await migrate(owner), ['0400_email_keys.sql'])

  for (const [id, email] of stored) {
    const { rows } = await owner.query('select email_key from users where id = $1', [id])
    assert.deepEqual(rows, [{ email_key: emailKey(email) }])
  }
  const { rows } = await owner.query('select user_name_key from provisioned_users where user_id = $1', [ann.id])
  assert.deepEqual(rows, [{ user_name_key: 'ｏ' }])
  await owner.end()
})
