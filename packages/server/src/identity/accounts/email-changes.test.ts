import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cancelEmailChange,
  deactivateOwnUser,
  getEmailChange,
  regenerateApiKey,
  resendEmailChange,
  revokeUserKeys,
  updateUser,
} from '@parley/api/identity/accounts'
import { updateRealm } from '@parley/api/organization/realm'
import { updateSettings } from '@parley/api/people/own-settings'
import { getUser } from '@parley/api/people/users'
import { sql } from 'kysely'
import type { EmailText } from '../../delivery/mail/templates.ts'
import { many } from '../../platform/db/query.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import type { Actor } from '../../testing/actor.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { sendMail } from './account-emails-job.ts'

interface Mail extends EmailText {
  address: string
}

/** The mails that are waiting to be sent, as the background job writes them. */
async function mailOf({ ctx, realmId }: World): Promise<Mail[]> {
  const rows = await many<{ payload: Job<'send_mail'> }>(ctx.db)`
    select payload from jobs.jobs
     where payload ->> 'realm_id' = ${String(realmId)} and payload ->> 'template' is not null order by id`
  const sent: Mail[] = []
  const send = async ({ address }: { address: string }, letter: EmailText) => void sent.push({ address, ...letter })
  for (const { payload } of rows) await sendMail({ ...ctx, mailer: { send, close: () => {} } }, payload)
  return sent
}

/** Asks for an address, and reads where the link leads. */
async function asksFor(world: World, who: Actor, email: string): Promise<string> {
  await who.does(updateSettings, { email })
  const { text } = (await mailOf(world)).findLast(({ address }) => address === email)!
  return new URL(/https?:\S+confirm_new_email\S+/.exec(text)![0]).pathname
}

const opens = ({ app, host }: World, url: string) => app.inject({ url, headers: { host } })
const confirms = ({ app, host }: World, url: string) => app.inject({ method: 'POST', url, headers: { host } })

const emailOf = async ({ olga }: World, { id }: Actor) =>
  (await olga.does(getUser, { path: { user_id: id } })).user.delivery_email

test('a new email takes effect when the link that was sent to it is confirmed', async () => {
  const world = await newWorld()
  const { ann, host } = world
  const link = await asksFor(world, ann, 'anna@x.example')
  assert.equal(await emailOf(world, ann), `ann@${host}`)
  const page = await opens(world, link)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(page.body, /anna@x\.example.*<form [^>]*method="post">/s)
  assert.equal(await emailOf(world, ann), `ann@${host}`)
  assert.equal((await confirms(world, link)).statusCode, 200)
  assert.equal(await emailOf(world, ann), 'anna@x.example')
})

test('the old email is notified', async () => {
  const world = await newWorld()
  const { ann, host } = world
  await confirms(world, await asksFor(world, ann, 'anna@x.example'))
  const mail = await mailOf(world)
  assert.deepEqual(
    mail.map(({ address }) => address),
    [`ann@${host}`],
  )
  assert.match(mail[0]!.text, /changed from ann@.* to anna@x\.example/)
})

test('events contain the new email', async () => {
  const world = await newWorld()
  const { ann, ben, gus, adam } = world
  const link = await asksFor(world, ben, 'benno@x.example')
  await verifyEvents([ann, gus, adam], () => confirms(world, link))
})

test('a link works once, for a day, until another one is requested, and only in its realm', async () => {
  const world = await newWorld()
  const { ann, ctx } = world
  const first = await asksFor(world, ann, 'anna@x.example')
  const second = await asksFor(world, ann, 'anna@y.example')
  const isDead = async (link: string, in_ = world) => {
    for (const response of [await opens(in_, link), await confirms(in_, link)]) {
      assert.equal(response.statusCode, 404)
      assert.match(response.body, /has expired or was already used/)
    }
  }
  await isDead(first)
  await isDead(second, await newWorld())
  for (const altered of [`${second}x`, `${second}=`, `${second}.`, `${second}%20`, second.replace(/[^/]+$/, 'x$&')])
    await isDead(altered)
  await isDead(second.replace(/[^/]+$/, 'nonsense'))
  await sql`update email_changes set requested_at = now() - interval '25 hours' where user_id = ${ann.id}`.execute(
    ctx.db,
  )
  await isDead(second)
  const third = await asksFor(world, ann, 'anna@z.example')
  const answers = await Promise.all([confirms(world, third), confirms(world, third)])
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 404])
  await isDead(third)
})

test('a link ends with the API key, because a thief of the key may have requested it', async () => {
  const world = await newWorld()
  const { adam, ann, ben, host } = world
  const anns = await asksFor(world, ann, 'thief@x.example')
  const bens = await asksFor(world, ben, 'thief@y.example')
  await adam.does(revokeUserKeys, { path: { user_id: ann.id } })
  await ben.does(regenerateApiKey)
  for (const link of [anns, bens]) assert.equal((await confirms(world, link)).statusCode, 404)
  assert.equal(await emailOf(world, ann), `ann@${host}`)
})

test('a user can change the password and request another email at once', async () => {
  const world = await newWorld()
  const { ann, ctx } = world
  const old_password = 'correct horse battery staple'
  const password_hash = await hashPassword(old_password, 'test')
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  const params = { old_password, new_password: 'another horse battery staple', email: 'anna@x.example' }
  await ann.does(updateSettings, params)
  const addresses = (await mailOf(world)).map(({ address }) => address)
  assert.ok(addresses.includes('anna@x.example'))
})

test('a requested email is shown until it is cancelled or expires', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  const pending = async () => (await ann.does(getEmailChange)).email_change?.new_email
  assert.equal(await pending(), undefined)

  const link = await asksFor(world, ann, 'anna@y.example')
  assert.equal(await pending(), 'anna@y.example')
  assert.equal((await ben.does(getEmailChange)).email_change, null)
  await ann.does(cancelEmailChange)
  assert.equal(await pending(), undefined)
  assert.equal((await confirms(world, link)).statusCode, 404)
  assert.equal((await ann.isRefused(cancelEmailChange)).code, 'NOT_FOUND')

  await asksFor(world, ann, 'anna@z.example')
  await sql`update email_changes set requested_at = now() - interval '25 hours'`.execute(ctx.db)
  assert.equal(await pending(), undefined)
  assert.equal((await ann.isRefused(resendEmailChange)).code, 'NOT_FOUND')
})

test('an email that is sent again has a new link, and counts as a request', async () => {
  const world = await newWorld()
  const { ann } = world
  const first = await asksFor(world, ann, 'anna@x.example')
  await ann.does(resendEmailChange)
  const { address, text } = (await mailOf(world)).at(-1)!
  assert.equal(address, 'anna@x.example')
  const second = new URL(/https?:\S+confirm_new_email\S+/.exec(text)![0]).pathname
  assert.equal((await confirms(world, first)).statusCode, 404)
  for (let sent = 2; sent < 5; sent++) await ann.does(resendEmailChange)
  assert.equal((await ann.isRefused(resendEmailChange)).code, 'RATE_LIMIT_HIT')
  assert.equal((await confirms(world, second)).statusCode, 404)
})

test('an email that another user has taken in the meantime is refused', async () => {
  const world = await newWorld()
  const { ann, ben, host } = world
  const anns = await asksFor(world, ann, 'same@x.example')
  const bens = await asksFor(world, ben, 'Same@x.example')
  await confirms(world, bens)
  const response = await confirms(world, anns)
  assert.equal(response.statusCode, 400)
  assert.match(response.body, /already in use/)
  assert.equal(await emailOf(world, ann), `ann@${host}`)
})

test('of two users who confirm the same email concurrently, one gets it', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const links = [await asksFor(world, ann, 'same@x.example'), await asksFor(world, ben, 'same@x.example')]
  const answers = await Promise.all(links.map((link) => confirms(world, link)))
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 400])
})

test('administrators can change their email where others cannot', async () => {
  const world = await newWorld()
  const { olga, adam, ann, host } = world
  const link = await asksFor(world, ann, 'anna@x.example')
  await olga.does(updateRealm, { email_changes_disabled: true })
  assert.equal((await ann.isRefused(updateSettings, { email: 'anna@y.example' })).code, 'BAD_REQUEST')
  assert.equal((await confirms(world, link)).statusCode, 400)
  assert.equal(await emailOf(world, ann), `ann@${host}`)
  assert.equal((await confirms(world, await asksFor(world, adam, 'adamo@x.example'))).statusCode, 200)
})

test('requesting an email does not reveal whether another account has it; only the owner of that account is notified', async () => {
  const world = await newWorld()
  const { ann, ben, host } = world
  const free = await ann.request(updateSettings as never, { email: `nobody@${host}` })
  const taken = await ann.request(updateSettings as never, { email: ben.credentials.email })
  assert.deepEqual([taken.status, taken.body], [free.status, free.body])
  const response = await confirms(world, await asksFor(world, ann, ben.credentials.email))
  assert.equal(response.statusCode, 400)
  assert.equal(await emailOf(world, ann), `ann@${host}`)
})

test('an invalid or unchanged email is refused, and nothing is sent', async () => {
  const world = await newWorld()
  const { ann, host } = world
  await ann.isRefused(updateSettings, { email: 'nonsense' })
  await ann.does(updateSettings, { email: `ann@${host}` })
  assert.deepEqual(await mailOf(world), [])
})

test('the number of confirmation emails is limited', async () => {
  const { ann } = await newWorld()
  for (const n of [1, 2, 3, 4, 5]) await ann.does(updateSettings, { email: `a${n}@x.example` })
  assert.equal((await ann.isRefused(updateSettings, { email: 'a6@x.example' })).code, 'RATE_LIMIT_HIT')
})

test('the link of a deactivated account does not work', async () => {
  const world = await newWorld()
  const link = await asksFor(world, world.ann, 'anna@x.example')
  await world.ann.does(deactivateOwnUser)
  assert.equal((await confirms(world, link)).statusCode, 404)
})

test('of two users who are given the same email concurrently, one gets it', async () => {
  const { olga, ann, ben, ctx, realmId } = await newWorld()
  await ctx.db.updateTable('users').set({ can_change_user_emails: true }).where('id', '=', olga.id).execute()
  ctx.realms.drop(realmId)
  const answers = await Promise.all(
    [ann, ben].map(({ id }) =>
      olga.request(updateUser as never, { path: { user_id: id }, new_email: 'same@x.example' }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
})
