import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { getChannelMembers } from '@parley/api/conversations/channels'
import { deactivateUser, updateUser } from '@parley/api/identity/accounts'
import * as api from '@parley/api/identity/invitations'
import { updateRealm } from '@parley/api/organization/realm'
import { getUsers } from '@parley/api/people/users'
import { sql } from 'kysely'
import { exists } from '../../../platform/db/query.ts'
import { inChannel } from '../../../testing/channels.ts'
import { mailingWorld } from '../../../testing/mailing-world.ts'
import { newMailReceiver } from '../../../testing/peers/mail-receiver.ts'
import { until } from '../../../testing/until.ts'
import { newWorld, type World } from '../../../testing/world.ts'

const receiver = await newMailReceiver()

let people = 0
const newEmail = () => `person${++people}@x.example`
const account = { full_name: 'Nora', password: 'correct horse battery' }

/** The texts of the emails that reached this person, without soft line breaks. */
const lettersTo = (email: string) =>
  receiver.mail
    .filter(({ to }) => to.includes(`<${email}>`))
    .map(({ source }) => source.replace(/=\n/g, '').replaceAll('=3D', '='))

/** Where the link in the newest of so many emails leads. */
async function linkTo(email: string, count = 1): Promise<string> {
  const letters = await until(() => (lettersTo(email).length >= count ? lettersTo(email) : undefined))
  return new URL(/^https?:\/\/\S+\/join\/\S+$/m.exec(letters.at(-1)!)![0]).pathname
}

const opens = ({ app, host }: World, url: string) => app.inject({ url, headers: { host } })

function sends({ app, host }: World, url: string, form: Record<string, string>) {
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  return app.inject({ method: 'POST', url, headers, payload: new URLSearchParams(form).toString() })
}

const nobody = { new: { direct_members: [], direct_subgroups: [] } }

const isWelcome = ({ statusCode }: { statusCode: number }) => statusCode === 303

async function isDead(world: World, link: string): Promise<void> {
  for (const answer of [await opens(world, link), await sends(world, link, account)]) {
    assert.equal(answer.statusCode, 404)
    assert.match(answer.body, /has expired, was revoked or was already used/)
  }
}

async function invited(world: World, params: object = {}, by = world.ann): Promise<[string, string]> {
  const email = newEmail()
  await by.does(api.sendInvitations, { invitee_emails: email, ...params })
  return [email, await linkTo(email)]
}

test('three people are invited by email, open their links and are in', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { ann, ben, adam } = world
  const stream_id = await inChannel('project', [ann, ben], { invite_only: true })
  const emails = [newEmail(), newEmail(), newEmail()]
  await ann.registers()
  await adam.registers()
  await ann.does(api.sendInvitations, { invitee_emails: emails.join('\n'), stream_ids: [stream_id] })
  assert.match((await until(() => lettersTo(emails[0]!)[0])) as string, /^Subject: Ann invited you to Test$/m)

  const links = await Promise.all(emails.map((email) => linkTo(email)))
  const page = await opens(world, links[0]!)
  assert.match(String(page.headers['referrer-policy']), /^(no-referrer|same-origin)$/)
  assert.match(page.body, /Ann invited you.*person\d+@x\.example.*name="full_name".*name="password"/s)
  for (const [index, link] of links.entries())
    assert.ok(isWelcome(await sends(world, link, { ...account, full_name: `Nora ${index}` })))

  const { members } = await adam.does(getUsers)
  const joined = members.filter(({ full_name }) => full_name.startsWith('Nora'))
  assert.deepEqual(
    joined.map(({ delivery_email, role }) => [delivery_email, role]),
    emails.map((email) => [email, roles.member]),
  )
  const { subscribers } = await ann.does(getChannelMembers, { path: { stream_id } })
  assert.deepEqual(
    subscribers,
    [ann.id, ben.id, ...joined.map(({ user_id }) => user_id)].sort((a, b) => a - b),
  )
  const notices = (await ann.receives('message')).map(({ message }) => message.content)
  assert.equal(notices.filter((content) => content.includes('accepted your invitation')).length, 3)
  assert.equal((await adam.receives('invites_changed')).length, 4)
  assert.deepEqual((await ann.does(api.getInvitations)).invites, [])
  await isDead(world, links[0]!)
})

test('of two who accept one invitation at once, one succeeds', async (t) => {
  const world = await mailingWorld(t, receiver)
  const [, link] = await invited(world)
  const answers = await Promise.all([sends(world, link, account), sends(world, link, account)])
  assert.equal(answers.filter(isWelcome).length, 1)
})

test('revoked, expired and foreign links are dead, and so are those of users who lost the right to invite', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { ann, adam, olga, ctx } = world
  const [, revoked] = await invited(world)
  const { invites } = await ann.does(api.getInvitations)
  await ann.does(api.revokeInvitation, { path: { invite_id: invites[0]!.id } })
  const [email, expired] = await invited(world)
  await sql`update invitations set expires_at = now() where email = ${email}`.execute(ctx.db)
  const [, ofAdmin] = await invited(world, { invite_as: roles.admin }, adam)
  await olga.does(updateUser, { path: { user_id: adam.id }, role: roles.member })
  const [, ofDeactivated] = await invited(world)
  await isDead(await newWorld(), ofDeactivated)
  await olga.does(deactivateUser, { path: { user_id: ann.id } })
  for (const link of [revoked, expired, ofAdmin, ofDeactivated, `${revoked}x`]) await isDead(world, link)
})

test('invitations and links work only while their inviter may invite people', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { ann, olga, ctx, realmId } = world
  const everybody = { new: (await ctx.realms.get(realmId)).realm.systemGroups['role:members'] }
  await olga.does(updateRealm, { create_multiuse_invite_group: everybody })
  const [, personal] = await invited(world)
  const reusable = new URL((await ann.does(api.createInvitationLink, {})).invite_link).pathname
  const email = newEmail()
  await sends(world, reusable, { email })
  const confirming = await linkTo(email)
  const [, ofOwner] = await invited(world, {}, olga)

  await olga.does(updateRealm, { can_invite_users_group: nobody, create_multiuse_invite_group: nobody })
  for (const link of [personal, reusable, confirming]) await isDead(world, link)
  await olga.does(updateRealm, { can_invite_users_group: everybody, create_multiuse_invite_group: everybody })
  await olga.does(updateUser, { path: { user_id: ann.id }, role: roles.guest })
  for (const link of [personal, reusable, confirming]) await isDead(world, link)
  await olga.does(updateUser, { path: { user_id: ann.id }, role: roles.member })
  for (const link of [confirming, personal, ofOwner]) assert.ok(isWelcome(await sends(world, link, account)))
})

test('a resent email has the same link', async (t) => {
  const world = await mailingWorld(t, receiver)
  const [email, link] = await invited(world)
  const { invites } = await world.ann.does(api.getInvitations)
  assert.ok(!('link_url' in invites[0]!))
  await world.ann.does(api.resendInvitation, { path: { invite_id: invites[0]!.id } })
  assert.equal(await linkTo(email, 2), link)
  assert.ok(isWelcome(await sends(world, link, account)))
})

test('a reusable link asks for an email and confirms it first, for any number of people', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { adam } = world
  const { invite_link } = await adam.does(api.createInvitationLink, { invite_as: roles.moderator })
  const url = new URL(invite_link).pathname
  assert.doesNotMatch((await opens(world, url)).body, /name="password"/)
  for (const email of [newEmail(), newEmail()]) {
    assert.match((await sends(world, url, { email, ...account })).body, /Check your email/)
    assert.ok(isWelcome(await sends(world, await linkTo(email), account)))
    const { members } = await adam.does(getUsers)
    assert.equal(members.find(({ delivery_email }) => delivery_email === email)?.role, roles.moderator)
  }
})

test('revoking a reusable link also ends the sign-ups that are not confirmed yet', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { adam } = world
  const { invite_link } = await adam.does(api.createInvitationLink, {})
  const email = newEmail()
  await sends(world, new URL(invite_link).pathname, { email })
  const link = await linkTo(email)
  const { invites } = await adam.does(api.getInvitations)
  assert.equal(invites.length, 1)
  await adam.does(api.revokeInvitationLink, { path: { invite_id: invites[0]!.id } })
  await isDead(world, link)
})

test('an expired reusable link also ends the sign-ups that are not confirmed yet', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { adam, ctx, realmId } = world
  const { invite_link } = await adam.does(api.createInvitationLink, { invite_expires_in_minutes: 90 })
  const email = newEmail()
  await sends(world, new URL(invite_link).pathname, { email })
  const link = await linkTo(email)
  const later = exists(ctx.db)`
    select from invitations where realm_id = ${realmId} and expires_at > now() + interval '91 minutes'`
  assert.equal(await later, false)
  await sql`update invitations set expires_at = now() where realm_id = ${realmId} and kind = 'link'`.execute(ctx.db)
  await isDead(world, link)
})

test('the sign-in page leads to sign-up if no invitation is required', async (t) => {
  const world = await mailingWorld(t, receiver)
  for (const invite_required of [true, false]) {
    await world.olga.does(updateRealm, { invite_required })
    assert.equal((await opens(world, '/login')).body.includes('href="/join"'), !invite_required)
  }
})

test('anyone signs up where no invitation is required, after confirming the email', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { olga } = world
  const email = newEmail()
  for (const answer of [await opens(world, '/join'), await sends(world, '/join', { email })])
    assert.match(answer.body, /You need an invitation/)
  await olga.does(updateRealm, { invite_required: false })
  assert.match((await opens(world, '/join')).body, /name="email"/)
  await sends(world, '/join', { email })
  const link = await linkTo(email)
  await olga.does(updateRealm, { invite_required: true })
  await isDead(world, link)
  await olga.does(updateRealm, { invite_required: false })
  assert.ok(isWelcome(await sends(world, link, account)))
})

test('signing up answers the same for an email that has an account; only the email says so', async (t) => {
  const world = await mailingWorld(t, receiver)
  const { olga, ben } = world
  await olga.does(updateRealm, { invite_required: false })
  const known = ben.credentials.email
  const unknown = newEmail()
  const pages = [await sends(world, '/join', { email: known }), await sends(world, '/join', { email: unknown })]
  assert.equal(pages[0]!.statusCode, pages[1]!.statusCode)
  assert.equal(pages[0]!.body.replaceAll(known, '…'), pages[1]!.body.replaceAll(unknown, '…'))
  assert.match((await until(() => lettersTo(known)[0])) as string, /You already have an account/)
})

test('one email gets a limited number of sign-up emails', async (t) => {
  const world = await mailingWorld(t, receiver)
  await world.olga.does(updateRealm, { invite_required: false })
  const email = newEmail()
  for (let n = 0; n < 5; n++) assert.equal((await sends(world, '/join', { email })).statusCode, 200)
  assert.equal((await sends(world, '/join', { email: email.toUpperCase() })).statusCode, 429)
})
