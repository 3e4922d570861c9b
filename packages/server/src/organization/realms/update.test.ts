import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { register } from '@parley/api/delivery/queues'
import * as groups from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import { ownerOnlySettings, realmGroupSettings, type SystemGroupName } from '@parley/api/permission-settings'
import { realmSettings } from '@parley/api/settings'
import { syncAllFullMembers } from '../../identity/accounts/full-members-job.ts'
import type { Actor } from '../../testing/actor.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

async function systemGroup(actor: Actor, name: SystemGroupName): Promise<number> {
  const { user_groups } = await actor.does(groups.getUserGroups)
  return user_groups.find((group) => group.name === name)!.id
}

async function setting(actor: Actor, name: string): Promise<unknown> {
  const state: Record<string, unknown> = await actor.does(register, { event_types: ['realm'] })
  return state[`realm_${name}`]
}

/** For each plain setting, a value that differs from the default. */
function otherValue(name: string): unknown {
  const { default: value, schema } = realmSettings[name as keyof typeof realmSettings]
  if (name === 'enable_read_receipts') return false
  if (typeof value === 'boolean') return !value
  const choices = (schema as { enum?: unknown[] }).enum
  if (choices) return choices.find((choice) => choice !== value)
  if (name === 'jitsi_server_url') return 'https://meet.example.com'
  if (name.startsWith('preview_domains_')) return 'example.com'
  if (name.endsWith('_language')) return name === 'default_language' ? 'de' : 'python'
  return name === 'digest_weekday' ? 5 : 77
}

const namesChannel = (name: string) => /_(stream|channel)_id$/.test(name)

test('every setting can be changed, and is in the response, the events and the state', async () => {
  const { olga, ann } = await newWorld()
  for (const name of Object.keys(realmSettings).filter((one) => !namesChannel(one))) {
    const value = otherValue(name)
    await ann.registers({ event_types: ['realm'] })
    const answer = await olga.does(updateRealm, { [name]: value })
    assert.deepEqual(answer[name], typeof value === 'string' ? 'updated' : value, name)
    const [event] = await ann.receives('realm')
    assert.ok(event, name)
    assert.deepEqual(
      event.op === 'update' ? { [event.property]: event.value } : event.op === 'update_dict' && event.data,
      {
        [name]: value,
      },
    )
    assert.deepEqual(await setting(ann, name), value)
    const again = await olga.does(updateRealm, { [name]: value })
    assert.ok(!(name in again), `${name} has not changed`)
    assert.equal((await ann.receives('realm')).length, 1)
  }
})

test('every permission can be given to another group', async () => {
  const { olga, ann } = await newWorld()
  const names: SystemGroupName[] = ['role:moderators', 'role:members']
  const [moderators, members] = await Promise.all(names.map((name) => systemGroup(olga, name)))
  for (const name of Object.keys(realmGroupSettings)) {
    const value = name === 'can_access_all_users_group' ? members : moderators
    await ann.registers({ event_types: ['realm'] })
    assert.deepEqual((await olga.does(updateRealm, { [name]: { new: value } }))[name], value)
    const [event] = await ann.receives('realm')
    assert.ok(event?.op === 'update_dict')
    assert.deepEqual(event.data, { [name]: value })
    assert.deepEqual(await setting(ann, name), value)
  }
})

test('only administrators change settings, and some only owners', async () => {
  const { adam, mona, ann, gus, olga } = await newWorld()
  for (const actor of [mona, ann, gus])
    assert.equal((await actor.isRefused(updateRealm, { mandatory_topics: 'x' })).code, 'UNAUTHORIZED_PRINCIPAL')
  const owners = await systemGroup(olga, 'role:owners')
  for (const name of ownerOnlySettings) {
    const value =
      name in realmGroupSettings
        ? { new: owners }
        : name === 'authentication_methods'
          ? { Email: true }
          : otherValue(name)
    assert.equal((await adam.isRefused(updateRealm, { [name]: value })).code, 'UNAUTHORIZED_PRINCIPAL', name)
    await olga.does(updateRealm, { [name]: value })
  }
  await adam.does(updateRealm, { mandatory_topics: true })
})

test('limits can be given as words', async () => {
  const { olga } = await newWorld()
  await olga.does(updateRealm, { message_content_edit_limit_seconds: 'unlimited', message_retention_days: 30 })
  assert.equal(await setting(olga, 'message_content_edit_limit_seconds'), null)
  await olga.does(updateRealm, { message_retention_days: 'unlimited', jitsi_server_url: 'https://meet.example.com' })
  assert.equal(await setting(olga, 'message_retention_days'), -1)
  await olga.does(updateRealm, { jitsi_server_url: 'default' })
  assert.equal(await setting(olga, 'jitsi_server_url'), null)
})

test('values out of range are refused, and nothing else in the request is applied', async () => {
  const { olga } = await newWorld()
  const wrong: [string, unknown, string?][] = [
    ['message_content_edit_limit_seconds', 0, 'REQUEST_VARIABLE_INVALID'],
    ['message_content_edit_limit_seconds', 'forever', 'REQUEST_VARIABLE_INVALID'],
    ['message_retention_days', -1, 'REQUEST_VARIABLE_INVALID'],
    ['digest_weekday', 7],
    ['waiting_period_threshold', -1],
    ['giphy_rating', 9],
    ['org_type', 5],
    ['video_chat_provider', 3],
    ['message_edit_history_visibility_policy', 'some'],
    ['mandatory_topics', 'yes'],
    ['jitsi_server_url', 'javascript:alert(1)'],
    ['default_language', '<script>'],
    ['default_language', 'xx'],
    ['new_stream_announcements_stream_id', 999_999_999],
    ['name', ' '],
    ['name', 'x'.repeat(41)],
    ['description', 'x'.repeat(1001)],
    ['authentication_methods', { Email: false }],
    ['authentication_methods', { Email: true, GitHub: true }],
    ['authentication_methods', { Email: true, GitHub: false }],
    ['can_create_groups', 5],
    ['can_create_groups', { new: 999_999_999 }],
  ]
  for (const [name, value, code = 'BAD_REQUEST'] of wrong) {
    const refused = await olga.isRefused(updateRealm, { allow_message_editing: false, [name]: value })
    assert.equal(refused.code, code, `${name} ${String(value)}`)
  }
  assert.equal(await setting(olga, 'allow_message_editing'), true)
})

test('permissions refuse groups that they do not allow, and a wrong expected value', async () => {
  const { olga, ann } = await newWorld()
  const { group_id } = await ann.does(groups.createUserGroup, { name: 'team', description: '', members: [] })
  const everyone = await systemGroup(olga, 'role:everyone')
  const nobody = await systemGroup(olga, 'role:nobody')
  const internet = await systemGroup(olga, 'role:internet')
  const refused = await olga.isRefused(updateRealm, { can_access_all_users_group: { new: group_id } })
  assert.deepEqual([refused.code, refused.setting_name], ['SYSTEM_GROUP_REQUIRED', 'can_access_all_users_group'])
  for (const [name, value] of [
    ['can_access_all_users_group', nobody],
    ['can_create_groups', everyone],
    ['can_manage_all_groups', nobody],
    ['can_resolve_topics_group', internet],
  ] as const)
    assert.equal((await olga.isRefused(updateRealm, { [name]: { new: value } })).code, 'BAD_REQUEST')
  const only = { direct_members: [ann.id], direct_subgroups: [] }
  const mismatch = await olga.isRefused(updateRealm, { can_create_groups: { new: only, old: nobody } })
  assert.equal(mismatch.code, 'EXPECTATION_MISMATCH')
  const members = await systemGroup(olga, 'role:members')
  await olga.does(updateRealm, { can_create_groups: { new: only, old: members } })
  await olga.does(updateRealm, { can_create_groups: { new: nobody, old: only } })
})

test('a changed permission takes effect immediately', async () => {
  const { olga, ann, ben } = await newWorld()
  await olga.does(updateRealm, {
    can_create_groups: { new: { direct_members: [ben.id], direct_subgroups: [] } },
  })
  await ann.isRefused(groups.createUserGroup, { name: 'a', description: '', members: [] })
  await ben.does(groups.createUserGroup, { name: 'b', description: '', members: [] })
})

test('name and description can be changed; the description is rendered', async () => {
  const { olga, ann, realmId, ctx } = await newWorld()
  await ann.registers()
  const { name, description } = await olga.does(updateRealm, { name: ' Verona ', description: 'fair **Verona**' })
  assert.deepEqual([name, description], ['updated', 'updated'])
  const received = (await ann.receives('realm')).map(({ id: _, ...event }) => event)
  assert.deepEqual(received, [
    { type: 'realm', op: 'update', property: 'name', value: 'Verona' },
    { type: 'realm', op: 'update_dict', property: 'default', data: { description: 'fair **Verona**' } },
  ])
  const { realm } = await ctx.realms.get(realmId)
  assert.equal(realm.rendered_description, '<p>fair <strong>Verona</strong></p>')
})

test('announcement settings need an existing channel, moderation requests a private one', async () => {
  const { olga, ann } = await newWorld()
  await ann.does(subscribe, { subscriptions: [{ name: 'open' }] })
  await ann.does(subscribe, { subscriptions: [{ name: 'closed' }], invite_only: true })
  const { subscriptions } = await ann.registers()
  const [closed, open] = subscriptions!.map(({ stream_id }) => stream_id)
  await olga.isRefused(updateRealm, { moderation_request_channel_id: open })
  await olga.does(updateRealm, { moderation_request_channel_id: closed, new_stream_announcements_stream_id: open })
  await olga.does(updateRealm, { moderation_request_channel_id: -1 })
  assert.equal(await setting(ann, 'moderation_request_channel_id'), -1)
})

async function age({ ctx, realmId }: World, actor: Actor, days: number): Promise<void> {
  const joined = new Date(Date.now() - days * 86_400_000 - 60_000)
  await ctx.db.updateTable('users').set({ date_joined: joined }).where('id', '=', actor.id).execute()
  ctx.realms.drop(realmId)
  ctx.sharedState.clear()
}

test('a changed waiting period updates full members immediately, and then daily', async () => {
  const world = await newWorld()
  const { olga, ann, ben, ctx } = world
  const full = await systemGroup(olga, 'role:fullmembers')
  const members = async () => {
    const path = { user_group_id: full }
    return (await olga.does(groups.getUserGroupMembers, { path, direct_member_only: true })).members
  }
  assert.deepEqual(await members(), [ann.id, ben.id])
  await age(world, ben, 3)
  await verifyEvents([ann, ben], () => olga.does(updateRealm, { waiting_period_threshold: 3 }))
  assert.deepEqual(await members(), [ben.id])
  await age(world, ann, 3)
  await verifyEvents([ann, ben], () => syncAllFullMembers(ctx))
  assert.deepEqual(await members(), [ann.id, ben.id])
})

test('events are complete: settings change', async () => {
  const { olga, ann, gus } = await newWorld()
  const moderators = await systemGroup(olga, 'role:moderators')
  await verifyEvents([olga, ann, gus], () =>
    olga.does(updateRealm, {
      name: 'Verona',
      description: 'fair',
      allow_message_editing: false,
      message_content_edit_limit_seconds: 60,
      message_edit_history_visibility_policy: 'none',
      jitsi_server_url: 'https://meet.example.com',
      can_create_groups: { new: { direct_members: [ann.id], direct_subgroups: [moderators] } },
      can_resolve_topics_group: { new: moderators },
    }),
  )
})

test('events are complete: changed permissions, with their legacy forms for older clients', async () => {
  const { olga, mona, ann, gus } = await newWorld()
  const [moderators, nobody] = [await systemGroup(olga, 'role:moderators'), await systemGroup(olga, 'role:nobody')]
  for (const value of [moderators, nobody, { direct_members: [ann.id, gus.id], direct_subgroups: [] }])
    await verifyEvents([olga, mona, ann, gus], () =>
      olga.does(updateRealm, {
        can_create_public_channel_group: { new: value },
        can_create_private_channel_group: { new: value },
        ...(typeof value === 'number' && { can_create_web_public_channel_group: { new: value } }),
        can_mention_many_users_group: { new: value },
        can_invite_users_group: { new: value },
      }),
    )
})
