import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { createDefaultChannelGroup } from '@parley/api/conversations/default-channel-groups'
import { getMessages } from '@parley/api/conversations/messages'
import { getSubscriptions, unsubscribe } from '@parley/api/conversations/subscriptions'
import { register } from '@parley/api/delivery/queues'
import * as api from '@parley/api/identity/invitations'
import { addDomain } from '@parley/api/organization/domains'
import { createUserGroup, deactivateUserGroup, getUserGroups, updateUserGroup } from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import { getUsers } from '@parley/api/people/users'
import { buildApp } from '../../../http/app.ts'
import { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, renewKeys, type World } from '../../../testing/world.ts'

const account = { full_name: 'Nora', password: 'correct horse battery' }

function sends({ app, host }: World, link: string, form: Record<string, string>) {
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  return app.inject({
    method: 'POST',
    url: new URL(link).pathname,
    headers,
    payload: new URLSearchParams(form).toString(),
  })
}

/** Without a mail server, the response has the link. */
async function invited(by: Actor, params: object = {}): Promise<string> {
  const { invite_links } = await by.does(api.sendInvitations, { invitee_emails: 'nora@x.test', ...params })
  return invite_links![0]!.link_url
}

async function opens({ app, host }: World, link: string): Promise<string> {
  return (await app.inject({ url: new URL(link).pathname, headers: { host } })).body
}

/** Signs up with the link, and returns the new user. */
async function joins(world: World, link: string, form: Record<string, string> = account): Promise<Actor> {
  const answer = await sends(world, link, form)
  assert.equal(answer.statusCode, 303, answer.body)
  const { members } = await world.olga.does(getUsers)
  const { user_id, full_name, delivery_email } = members.reduce((a, b) => (a.user_id > b.user_id ? a : b))
  const nora = new Actor(world.app, user_id, full_name, { host: world.host, email: delivery_email!, key: '' })
  await renewKeys(world, nora)
  return nora
}

const channelsOf = async (actor: Actor) =>
  (await actor.does(getSubscriptions)).subscriptions.map(({ name }) => name).sort()

test('people get the role, channels and groups of their invitation', async () => {
  const world = await newWorld()
  const { ann, ben, olga } = world
  const stream_ids = [await inChannel('project', [ben])]
  await inChannel('usual', [olga], { is_default_stream: true })
  const team = await ben.does(createUserGroup, { name: 'team', description: '', members: [] })
  const old = await ben.does(createUserGroup, { name: 'old', description: '', members: [] })
  const group_ids = [team.group_id, old.group_id]
  const link = await invited(ben, { stream_ids, group_ids, invite_as: roles.guest })
  await ben.does(deactivateUserGroup, { path: { user_group_id: old.group_id } })
  await ann.registers()
  const nora = await joins(world, link)
  assert.deepEqual(await channelsOf(nora), ['project'])
  const { user_groups } = await ann.does(getUserGroups)
  assert.deepEqual(user_groups.find(({ id }) => id === team.group_id)!.members, [nora.id])
  assert.ok(user_groups.find(({ name }) => name === 'role:everyone')!.members.includes(nora.id))
})

test('people do not get channels and groups that their inviter may no longer add people to', async () => {
  const world = await newWorld()
  const { adam, ben, olga } = world
  const stream_ids = [await inChannel('secret', [olga, ben], { invite_only: true }), await inChannel('open', [ben])]
  const can_add_members_group = { new: { direct_members: [ben.id], direct_subgroups: [] } }
  const { group_id } = await olga.does(createUserGroup, { name: 'team', description: '', members: [ben.id] })
  await olga.does(updateUserGroup, { path: { user_group_id: group_id }, can_add_members_group })
  const link = await invited(ben, { stream_ids, group_ids: [group_id] })
  await olga.does(unsubscribe, { subscriptions: ['secret'], principals: [ben.id] })
  const nobody = { new: { direct_members: [], direct_subgroups: [] } }
  await olga.does(updateUserGroup, { path: { user_group_id: group_id }, can_add_members_group: nobody })
  const nora = await joins(world, link)
  assert.deepEqual(await channelsOf(nora), ['open'])
  const { user_groups } = await adam.does(getUserGroups)
  assert.deepEqual(user_groups.find(({ id }) => id === group_id)!.members, [ben.id])
})

test('the default channels are joined if the invitation includes them, also by guests', async () => {
  const world = await newWorld()
  const { olga } = world
  await inChannel('usual', [olga], { is_default_stream: true })
  const params = { include_realm_default_subscriptions: true }
  assert.deepEqual(await channelsOf(await joins(world, await invited(olga, params))), ['usual'])
  const guest = { ...params, invitee_emails: 'gil@x.test', invite_as: roles.guest }
  assert.deepEqual(await channelsOf(await joins(world, await invited(olga, guest))), ['usual'])
  assert.deepEqual(await channelsOf(await joins(world, await invited(olga, { invitee_emails: 'kim@x.test' }))), [])
})

test('newcomers do not see the protected history of their channels', async () => {
  const world = await newWorld()
  const { ann } = world
  const stream_ids = [await inChannel('vault', [ann], { invite_only: true })]
  await ann.sends({ channel: 'vault', content: 'before' })
  const nora = await joins(world, await invited(ann, { stream_ids }))
  const { unread_msgs } = await nora.registers({ fetch_event_types: ['message', 'update_message_flags'] })
  assert.deepEqual(unread_msgs!.streams, [])
  const { messages } = await nora.does(getMessages, { anchor: 'newest', num_before: 9, num_after: 0 })
  assert.ok(messages.every(({ content }) => !content.includes('before')))
})

test('the welcome message of the invitation follows the usual one', async () => {
  const world = await newWorld()
  const params = { welcome_message_custom_text: 'The **canteen** is on floor 2.' }
  const nora = await joins(world, await invited(world.adam, params))
  const { messages } = await nora.does(getMessages, { anchor: 'newest', num_before: 9, num_after: 0 })
  assert.match(messages[0]!.content, /Hello, Nora/)
  assert.match(messages[1]!.content, /The <strong>canteen<\/strong>/)
})

test('a newcomer is signed in', async () => {
  const world = await newWorld()
  const { app, host, ann } = world
  const answer = await sends(world, await invited(ann), account)
  assert.equal(answer.headers.location, '/')
  const cookie = String(answer.headers['set-cookie']).split(';')[0]!
  const own = await app.inject({ url: '/api/v1/users/me', headers: { host, cookie } })
  assert.equal(own.json().full_name, 'Nora')
})

test('an inviter who does not want to be notified is not', async () => {
  const world = await newWorld()
  const { ann } = world
  await ann.registers()
  await joins(world, await invited(ann, { notify_referrer_on_join: false }))
  assert.deepEqual(await ann.receives('message'), [])
})

test('the form is shown again with its error, and nothing is created', async () => {
  const world = await newWorld()
  const link = await invited(world.ann)
  const mistakes: [Record<string, string>, RegExp][] = [
    [{ ...account, password: 'password' }, /too easy to guess/],
    [{ ...account, password: '' }, /must have 6 to 100 characters/],
    [{ ...account, full_name: 'N' }, /Name too short/],
    [{ ...account, full_name: '<b>*' }, /Invalid characters in name/],
  ]
  for (const [form, message] of mistakes) {
    const { statusCode, body } = await sends(world, link, form)
    assert.equal(statusCode, 400)
    assert.match(body, message)
    assert.ok(!body.includes('<b>') && !body.includes('value="password"'))
  }
  await joins(world, link)
})

test('the page links to the terms of the operator', async () => {
  const world = await newWorld()
  const app = buildApp({ ...world.ctx, config: { ...world.ctx.config, termsUrl: 'https://x.test/terms' } })
  const { pathname: url } = new URL(await invited(world.ann))
  const { body } = await app.inject({ url, headers: { host: world.host } })
  assert.match(body, /accept the <a href="https:\/\/x\.test\/terms">terms<\/a>/)
  await app.close()
})

test('the name must be unique where the organization requires it', async () => {
  const world = await newWorld()
  await world.olga.does(updateRealm, { require_unique_names: true })
  const answer = await sends(world, await invited(world.ann), { ...account, full_name: 'Ben' })
  assert.match(answer.body, /Unique names required/)
})

test('without a mail server a reusable link creates accounts, with an email that the organization allows', async () => {
  const world = await newWorld()
  const { olga, ben } = world
  await olga.does(addDomain, { domain: 'corp.example', allow_subdomains: false })
  await olga.does(updateRealm, { emails_restricted_to_domains: true })
  const { invite_link } = await olga.does(api.createInvitationLink, {})
  for (const email of ['nora@x.test', 'nonsense', ben.credentials.email])
    assert.equal((await sends(world, invite_link, { ...account, email })).statusCode, 400)
  await joins(world, invite_link, { ...account, email: 'nora@corp.example' })
  await joins(world, invite_link, { ...account, email: 'kim@corp.example' })
})

test('a personal invitation is for its email alone', async () => {
  const world = await newWorld()
  const nora = await joins(world, await invited(world.ann), { ...account, email: 'other@x.test' })
  assert.equal(nora.credentials.email, 'nora@x.test')
})

test('without a mail server nobody signs up without an invitation', async () => {
  const world = await newWorld()
  await world.olga.does(updateRealm, { invite_required: false })
  const { body, statusCode } = await world.app.inject({ url: '/join', headers: { host: world.host } })
  assert.equal(statusCode, 400)
  assert.match(body, /You need an invitation/)
})

test('events are complete: joining', async () => {
  const world = await newWorld()
  const { ann, ben, gus, adam } = world
  const stream_ids = [await inChannel('project', [ann, gus])]
  const { group_id } = await ann.does(createUserGroup, { name: 'team', description: '', members: [] })
  const link = await invited(ann, { stream_ids, group_ids: [group_id] })
  await verifyEvents([ann, ben, gus, adam], () => sends(world, link, account))
})

test('people who join choose default channel groups; guests get only the channels of their invitation', async () => {
  const world = await newWorld()
  const { adam, olga } = world
  await inChannel('usual', [olga], { is_default_stream: true })
  for (const name of ['garden', 'pond', 'kitchen']) await inChannel(name, [olga])
  const make = (group_name: string, stream_names: string[]) =>
    adam.does(createDefaultChannelGroup, { group_name, description: `All about it <${group_name}>`, stream_names })
  await make('Outside', ['garden', 'pond'])
  await make('Inside', ['kitchen'])
  await make('Empty', [])
  const groups = (await adam.does(register, { fetch_event_types: ['default_stream_groups'] }))
    .realm_default_stream_groups!
  const field = (name: string) => `default_group_${groups.find((group) => group.name === name)!.id}`

  const link = await invited(olga, { include_realm_default_subscriptions: true })
  const page = await opens(world, link)
  assert.match(page, /Outside.*All about it &lt;Outside&gt; · Channels: garden, pond/s)
  assert.doesNotMatch(page, /Empty/)
  const nora = await joins(world, link, {
    ...account,
    [field('Outside')]: 'true',
    default_group_0: 'true',
  })
  assert.deepEqual(await channelsOf(nora), ['garden', 'pond', 'usual'])

  const asGuest = {
    invitee_emails: 'gil@x.test',
    invite_as: roles.guest,
    stream_ids: [await inChannel('porch', [olga])],
  }
  assert.doesNotMatch(await opens(world, await invited(olga, asGuest)), /Outside/)
  const gil = await joins(world, await invited(olga, asGuest), {
    full_name: 'Gil',
    password: account.password,
    [field('Inside')]: 'true',
  })
  assert.deepEqual(await channelsOf(gil), ['porch'])
})

test('a refused form keeps the chosen groups', async () => {
  const world = await newWorld()
  await inChannel('garden', [world.olga])
  await world.adam.does(createDefaultChannelGroup, {
    group_name: 'Outside',
    description: '',
    stream_names: ['garden'],
  })
  const link = await invited(world.olga)
  const name = /name="(default_group_\d+)"/.exec(await opens(world, link))![1]!
  const again = await sends(world, link, { ...account, password: 'x', [name]: 'true' })
  assert.equal(again.statusCode, 400)
  assert.match(again.body, new RegExp(`name="${name}" type="checkbox" value="true" checked`))
})
