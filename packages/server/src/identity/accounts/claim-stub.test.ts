import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scheduleMessage } from '@parley/api/conversations/scheduled'
import { deactivateUser } from '@parley/api/identity/accounts'
import { createInvitationLink, sendInvitations } from '@parley/api/identity/invitations'
import { updateRealm } from '@parley/api/organization/realm'
import { getUsers } from '@parley/api/people/users'
import { fetchApiKey } from '@parley/api/server'
import { sql } from 'kysely'
import { exists } from '../../platform/db/query.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { mailingWorld } from '../../testing/mailing-world.ts'
import { newMailReceiver } from '../../testing/peers/mail-receiver.ts'
import { ScimClient } from '../../testing/peers/scim-client.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

const receiver = await newMailReceiver()
const password = 'correct horse battery'

/** Makes accounts what an import creates. */
async function asImported({ ctx, realmId }: World, ...people: Actor[]): Promise<void> {
  await sql`update users set is_imported_stub = true, password_hash = null
             where realm_id = ${realmId} and id = any(${people.map(({ id }) => id)}::bigint[])`.execute(ctx.db)
}

const isStub = ({ ctx }: World, { id }: Actor) =>
  exists(ctx.db)`select 1 from users where id = ${id} and is_imported_stub`

async function linkTo(email: string, path: string): Promise<string> {
  const letter = await until(() =>
    receiver.mail.findLast(({ to, source }) => to.includes(`<${email}>`) && source.includes(`/${path}/`)),
  )
  const text = letter.source.replace(/=\n/g, '').replaceAll('=3D', '=')
  return new URL(new RegExp(`^https?://\\S+/${path}/\\S+$`, 'm').exec(text)![0]).pathname
}

function sends({ app, host }: World, url: string, form: Record<string, string>) {
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  return app.inject({ method: 'POST', url, headers, payload: new URLSearchParams(form).toString() })
}

async function signsIn({ app, host }: World, username: string): Promise<number> {
  const payload = new URLSearchParams({ username, password }).toString()
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await app.inject({ method: 'POST', url: `/api/v1${fetchApiKey.path}`, headers, payload })
  return answer.statusCode === 200 ? answer.json().user_id : 0
}

test('an invitation to the email of an imported account gives it to the person, with its messages', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { adam, ann, ben } = world
  await inChannel('verona', [ann, ben])
  const sent = await ann.sends({ channel: 'verona', content: 'from the past' })
  await asImported(world, ann)
  const email = ann.credentials.email

  await adam.does(sendInvitations, { invitee_emails: email })
  const link = await linkTo(email, 'join')
  assert.equal((await sends(world, link, { full_name: 'Another', password })).statusCode, 303)

  assert.equal(await signsIn(world, email), ann.id)
  assert.equal(await isStub(world, ann), false)
  const { members } = await adam.does(getUsers)
  assert.equal(members.filter(({ delivery_email }) => delivery_email === email).length, 1)
  assert.ok(await exists(world.ctx.db)`select 1 from messages where id = ${sent} and sender_id = ${ann.id}`)
  const claimed = await exists(world.ctx.db)`select 1 from audit_log where action = 'imported_account_claimed'`
  assert.ok(claimed)
  assert.equal((await sends(world, link, { full_name: 'Late', password })).statusCode, 404)
})

test('signing up with a confirmed email does the same', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { olga, ann } = world
  await olga.does(updateRealm, { invite_required: false })
  await asImported(world, ann)
  const email = ann.credentials.email
  await sends(world, '/join', { email })
  assert.equal((await sends(world, await linkTo(email, 'join'), { full_name: 'Ann', password })).statusCode, 303)
  assert.equal(await signsIn(world, email), ann.id)
})

test('a reset of the password claims it too, and scheduled messages that waited are sent then', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { ann, ben, ctx } = world
  await inChannel('verona', [ann, ben])
  const { scheduled_message_id } = await ann.does(scheduleMessage, {
    type: 'direct',
    to: [ben.id],
    content: 'later',
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600,
  } as never)
  await asImported(world, ann)
  const key = `deliver_scheduled_message ${scheduled_message_id}`
  await sql`delete from jobs.jobs where key = ${key}`.execute(ctx.db)
  await sends(world, '/reset', { email: ann.credentials.email })
  await sends(world, await linkTo(ann.credentials.email, 'reset'), { password, password_again: password })
  assert.equal(await isStub(world, ann), false)
  assert.ok(await exists(ctx.db)`select 1 from jobs.jobs where key = ${key}`)
})

test('SCIM with the email of an imported account claims it', async () => {
  const world = await newWorld()
  await asImported(world, world.ann)
  const scim = await ScimClient.open(world)
  const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: world.ann.credentials.email }
  assert.equal((await scim.does('POST', '/Users', body)).id, String(world.ann.id))
  assert.equal(await isStub(world, world.ann), false)
})

test('an email that is not confirmed claims nothing, and a deactivated account cannot be claimed', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { adam, ann, ben } = world
  await asImported(world, ann, ben)
  await adam.does(deactivateUser, { path: { user_id: ben.id } })
  const answer = await adam.request(sendInvitations, { invitee_emails: ben.credentials.email })
  assert.match(JSON.stringify(answer), /deactivated/)
  world.ctx.mailer = undefined
  const { invite_link } = await adam.does(createInvitationLink, {})
  const { pathname } = new URL(invite_link)
  await sends(world, pathname, { email: ann.credentials.email, full_name: 'Thief', password })
  assert.equal(await isStub(world, ann), true)
  assert.equal(await signsIn(world, ann.credentials.email), 0)
})
