import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { createUser, deactivateUser, updateUser } from '@parley/api/identity/accounts'
import * as api from '@parley/api/identity/invitations'
import { addDomain } from '@parley/api/organization/domains'
import { createUserGroup } from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import { sql } from 'kysely'
import { transactIn } from '../../context.ts'
import { grant } from '../../people/users/actions.ts'
import { many } from '../../platform/db/query.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { deleteOldInvitations } from './actions.ts'
import { dailyLimits } from './limits.ts'

const listedBy = async (actor: Actor) => (await actor.does(api.getInvitations)).invites
const emailsOf = async (actor: Actor) => (await listedBy(actor)).map(({ email }) => email)

async function invites(actor: Actor, invitee_emails: string, params: object = {}): Promise<number> {
  await actor.does(api.sendInvitations, { invitee_emails, ...params })
  return (await listedBy(actor)).at(-1)!.id
}

test('emails are separated by commas or lines, may have names, and count once', async () => {
  const { ann } = await newWorld()
  await ann.does(api.sendInvitations, { invitee_emails: 'a@x.test, Bo <b@x.test>\nA@X.test,\r\n,c@x.test\n' })
  assert.deepEqual(await emailsOf(ann), ['a@x.test', 'b@x.test', 'c@x.test'])
  assert.match((await ann.isRefused(api.sendInvitations, { invitee_emails: ' ,\n' })).msg, /at least one email/)
})

test('a listed invitation has the fields of its kind', async () => {
  const { olga } = await newWorld()
  await invites(olga, 'a@x.test', { invite_as: roles.guest, notify_referrer_on_join: false })
  const { invite_link } = await olga.does(api.createInvitationLink, { invite_expires_in_minutes: null })
  const [email, link] = (await listedBy(olga)) as unknown as [Record<string, unknown>, Record<string, unknown>]
  assert.equal(Number(email.expiry_date) - Number(email.invited), 10 * 24 * 3600)
  assert.deepEqual([email.invited_by_user_id, email.invited_as, email.is_multiuse], [olga.id, roles.guest, false])
  assert.deepEqual([email.email, email.notify_referrer_on_join], ['a@x.test', false])
  assert.deepEqual([link.link_url, link.expiry_date, link.is_multiuse], [invite_link, null, true])
  assert.ok(!('email' in link) && !('notify_referrer_on_join' in link))
})

test('members list their own invitations, administrators all', async () => {
  const { ann, ben, adam } = await newWorld()
  await invites(ann, 'a@x.test')
  await invites(ben, 'b@x.test')
  assert.deepEqual(await emailsOf(ann), ['a@x.test'])
  assert.deepEqual(await emailsOf(adam), ['a@x.test', 'b@x.test'])
})

test('only owners see and revoke invitations of owners', async () => {
  const { olga, adam } = await newWorld()
  const invite_id = await invites(olga, 'boss@x.test', { invite_as: roles.owner })
  assert.deepEqual(await listedBy(adam), [])
  for (const operation of [api.revokeInvitation, api.resendInvitation])
    assert.equal((await adam.isRefused(operation, { path: { invite_id } })).msg, 'No such invitation')
  await olga.does(api.revokeInvitation, { path: { invite_id } })
})

test('only administrators invite moderators and administrators, and only owners invite owners', async () => {
  const { olga, adam, mona, ann } = await newWorld()
  const mayInvite = async (actor: Actor, operation: typeof api.sendInvitations | typeof api.createInvitationLink) => {
    const allowed: number[] = []
    for (const invite_as of Object.values(roles)) {
      const params = { invitee_emails: `${actor.name}${invite_as}@x.test`, invite_as }
      const { status, body } = await actor.request(operation as never, params)
      if (status === 200) allowed.push(invite_as)
      else assert.equal((body as { code: string }).code, 'UNAUTHORIZED_PRINCIPAL')
    }
    return allowed
  }
  assert.deepEqual(await mayInvite(olga, api.sendInvitations), [100, 200, 300, 400, 600])
  assert.deepEqual(await mayInvite(adam, api.sendInvitations), [200, 300, 400, 600])
  assert.deepEqual(await mayInvite(adam, api.createInvitationLink), [200, 300, 400, 600])
  for (const actor of [mona, ann]) assert.deepEqual(await mayInvite(actor, api.sendInvitations), [400, 600])
})

test('a demoted administrator no longer sees or uses their invitations of administrators', async () => {
  const { olga, adam } = await newWorld()
  await invites(adam, 'admin@x.test', { invite_as: roles.admin })
  await olga.does(updateUser, { path: { user_id: adam.id }, role: roles.member })
  assert.deepEqual(await listedBy(adam), [])
})

test('only administrators set a welcome message', async () => {
  const { adam, ann } = await newWorld()
  const params = { invitee_emails: 'a@x.test', welcome_message_custom_text: 'Hi!' }
  assert.equal((await ann.isRefused(api.sendInvitations, params)).code, 'UNAUTHORIZED_PRINCIPAL')
  await adam.does(api.sendInvitations, params)
  await ann.does(api.sendInvitations, { ...params, welcome_message_custom_text: '' })
})

test('channels must be such that the inviter may subscribe others to them, or default channels', async () => {
  const { olga, ann, ben } = await newWorld()
  const hidden = await inChannel('hidden', [ben], { invite_only: true })
  const open = await inChannel('open', [ben])
  const usual = await inChannel('usual', [olga], { is_default_stream: true })
  const to = (...stream_ids: number[]) => ({ invitee_emails: 'a@x.test', stream_ids })
  for (const id of [hidden, 999_999])
    assert.equal((await ann.isRefused(api.sendInvitations, to(open, id))).msg, 'Invalid channel ID')
  await ann.does(api.sendInvitations, to(open, usual))
  await olga.does(updateRealm, {
    can_add_subscribers_group: { new: { direct_members: [olga.id], direct_subgroups: [] } },
  })
  assert.match((await ann.isRefused(api.sendInvitations, to(open))).msg, /permission to subscribe other users/)
  await ann.does(api.sendInvitations, to(usual))
})

test('groups must be such that the inviter may add members to them', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  const { group_id } = await ben.does(createUserGroup, { name: 'team', description: '', members: [] })
  const { systemGroups } = (await ctx.realms.get(realmId)).realm
  const to = (...group_ids: number[]) => ({ invitee_emails: 'a@x.test', group_ids })
  await ben.does(api.sendInvitations, to(group_id))
  assert.equal((await ann.isRefused(api.sendInvitations, to(group_id))).msg, 'Insufficient permission')
  assert.equal((await ben.isRefused(api.sendInvitations, to(999_999))).msg, 'Invalid user group')
  await ben.isRefused(api.sendInvitations, to(systemGroups['role:administrators']))
})

test('if an email is not allowed, nobody is invited', async () => {
  const { olga, ann } = await newWorld()
  const refused = await ann.isRefused(api.sendInvitations, { invitee_emails: 'a@x.test,nonsense,b@mailinator.com' })
  assert.equal(refused.code, 'INVITATION_FAILED')
  assert.equal(refused.sent_invitations, false)
  const errors = refused.errors as [string, string, boolean][]
  assert.deepEqual(
    errors.map(([email]) => email),
    ['nonsense', 'b@mailinator.com'],
  )
  assert.deepEqual(await listedBy(ann), [])
  await olga.does(addDomain, { domain: 'corp.example', allow_subdomains: false })
  await olga.does(updateRealm, { emails_restricted_to_domains: true })
  await ann.isRefused(api.sendInvitations, { invitee_emails: 'a@x.test' })
  await ann.does(api.sendInvitations, { invitee_emails: 'a@corp.example' })
})

test('emails with an account are skipped, and the others invited', async () => {
  const { olga, ann, ben, gus } = await newWorld()
  await olga.does(deactivateUser, { path: { user_id: gus.id } })
  const known = [ben.credentials.email, gus.credentials.email]
  const all = await ann.isRefused(api.sendInvitations, { invitee_emails: known.join() })
  assert.deepEqual([all.code, all.sent_invitations], ['INVITATION_FAILED', false])
  const some = await ann.isRefused(api.sendInvitations, { invitee_emails: ['new@x.test', ...known].join() })
  assert.equal(some.sent_invitations, true)
  const errors = some.errors as [string, string, boolean][]
  assert.deepEqual(
    errors.map(([email, , deactivated]) => [email, deactivated]).sort(),
    [
      [known[0], false],
      [known[1], true],
    ].sort(),
  )
  assert.deepEqual(await emailsOf(ann), ['new@x.test'])
})

test('a user sends a limited number of invitations per day, and resending counts', async () => {
  const { ann, adam } = await newWorld()
  const many = (count: number) => Array.from({ length: count }, (_, n) => `n${n}@x.test`).join()
  const invite_id = await invites(ann, many(dailyLimits.others - 1))
  await ann.does(api.resendInvitation, { path: { invite_id } })
  const refused = await ann.isRefused(api.sendInvitations, { invitee_emails: 'one@x.test' })
  assert.deepEqual([refused.code, refused.daily_limit_reached], ['INVITATION_FAILED', true])
  await ann.isRefused(api.resendInvitation, { path: { invite_id } })
  await adam.does(api.sendInvitations, { invitee_emails: many(dailyLimits.others + 1) })
})

test('new accounts cannot invite in an open organization, except administrators', async () => {
  const { olga, adam, ann, ctx } = await newWorld()
  await olga.does(updateRealm, { invite_required: false })
  const refused = await ann.isRefused(api.sendInvitations, { invitee_emails: 'a@x.test' })
  assert.equal(refused.code, 'INVITATION_FAILED')
  await adam.does(api.sendInvitations, { invitee_emails: 'a@x.test' })
  await sql`update users set date_joined = now() - interval '4 days' where id = ${ann.id}`.execute(ctx.db)
  await ann.does(api.sendInvitations, { invitee_emails: 'a@x.test' })
})

test('the inviter and administrators revoke an invitation, once, and nobody else does', async () => {
  const { ann, ben, adam } = await newWorld()
  const path = { invite_id: await invites(ann, 'a@x.test') }
  const missing = await ben.isRefused(api.revokeInvitation, { path: { invite_id: 999_999 } })
  assert.deepEqual(await ben.isRefused(api.revokeInvitation, { path }), missing)
  assert.deepEqual(await ann.isRefused(api.revokeInvitationLink, { path }), missing)
  await adam.does(api.revokeInvitation, { path })
  assert.deepEqual(await ann.isRefused(api.revokeInvitation, { path }), missing)
  assert.deepEqual(await ann.isRefused(api.resendInvitation, { path }), missing)
})

test('expired invitations are not listed, resent or revoked', async () => {
  const { ann, ctx } = await newWorld()
  const path = { invite_id: await invites(ann, 'a@x.test') }
  await sql`update invitations set expires_at = now() where id = ${path.invite_id}`.execute(ctx.db)
  assert.deepEqual(await listedBy(ann), [])
  await ann.isRefused(api.resendInvitation, { path })
  await ann.isRefused(api.revokeInvitation, { path })
})

test('invitations may expire after January 2038', async () => {
  const { ann, ctx } = await newWorld()
  const id = await invites(ann, 'a@x.test')
  await sql`update invitations set expires_at = '2040-01-01T00:00Z' where id = ${id}`.execute(ctx.db)
  const { invites: listed } = await ann.does(api.getInvitations)
  assert.equal(listed[0]!.expiry_date, 2_208_988_800)
})

test('inviting an email again replaces the earlier invitation', async () => {
  const { ann } = await newWorld()
  const first = await invites(ann, 'a@x.test')
  await invites(ann, 'A@x.test', { invite_as: roles.guest })
  assert.deepEqual(
    (await listedBy(ann)).map(({ id, invited_as }) => [id > first, invited_as]),
    [[true, roles.guest]],
  )
})

test('the inviter and administrators get invites_changed', async () => {
  const { ann, ben, adam, gus } = await newWorld()
  for (const actor of [ann, ben, adam, gus]) await actor.registers()
  const path = { invite_id: await invites(ann, 'a@x.test') }
  await adam.does(api.revokeInvitation, { path })
  for (const actor of [ann, adam]) assert.equal((await actor.receives('invites_changed')).length, 2, actor.name)
  for (const actor of [ben, gus]) assert.deepEqual(await actor.receives('invites_changed'), [])
})

test('deactivating a user revokes their invitations', async () => {
  const { olga, adam, ann } = await newWorld()
  await invites(ann, 'a@x.test')
  await olga.does(deactivateUser, { path: { user_id: ann.id } })
  assert.deepEqual(await listedBy(adam), [])
})

test('creating the account otherwise ends the invitations to its email', async () => {
  const { olga, ann, ctx, realmId } = await newWorld()
  await transactIn(ctx, realmId, (tx) => grant(tx, olga.id, ['can_create_users']))
  await invites(ann, 'Nora@x.test')
  await ann.registers()
  await olga.does(createUser, { email: 'nora@x.test', full_name: 'Nora', password: 'correct horse' })
  assert.deepEqual(await listedBy(ann), [])
  assert.equal((await ann.receives('invites_changed')).length, 1)
})

test('without a mail server the inviter gets the links', async () => {
  const { ann } = await newWorld()
  const { invite_links } = await ann.does(api.sendInvitations, { invitee_emails: 'a@x.test' })
  const [listed] = await listedBy(ann)
  assert.deepEqual(invite_links, [{ email: 'a@x.test', link_url: listed!.link_url }])
  assert.match(listed!.link_url!, /^https?:\/\/[^/]+\/join\/[\w-]{43}$/)
  assert.deepEqual(
    (await ann.does(api.resendInvitation, { path: { invite_id: listed!.id } })).link_url,
    listed!.link_url,
  )
})

test('the database contains no usable token', async () => {
  const { ann, ctx, realmId } = await newWorld()
  const { invite_links } = await ann.does(api.sendInvitations, { invitee_emails: 'a@x.test' })
  const token = invite_links![0]!.link_url.split('/').at(-1)!
  const rows = await many(ctx.db)`select * from invitations where realm_id = ${realmId}`
  const text = JSON.stringify(rows)
  for (const form of [token, Buffer.from(token).toString('hex'), Buffer.from(token).toJSON().data.join()])
    assert.ok(!text.includes(form))
  assert.ok(!text.includes(Buffer.from(token, 'base64url').toJSON().data.join()))
})

test('invitations that ended long ago are deleted', async () => {
  const world: World = await newWorld()
  const { ann, ctx, realmId } = world
  await invites(ann, 'old@x.test,new@x.test')
  await sql`update invitations set expires_at = now() - interval '31 days' where email = 'old@x.test'
               and realm_id = ${realmId}`.execute(ctx.db)
  await deleteOldInvitations(ctx.db)
  const rows = await many<{ email: string }>(ctx.db)`select email from invitations where realm_id = ${realmId}`
  assert.deepEqual(rows, [{ email: 'new@x.test' }])
})
