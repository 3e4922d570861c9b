import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { getChannel } from '@parley/api/conversations/channels'
import * as messages from '@parley/api/conversations/messages'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { deactivateUser } from '@parley/api/identity/accounts'
import * as groups from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import type { Actor } from '../../testing/actor.ts'
import { everything, legacyClient, verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

async function makes(actor: Actor, name: string, more: object = {}): Promise<number> {
  const { group_id } = await actor.does(groups.createUserGroup, { name, description: '', members: [], ...more })
  return group_id
}

async function membersOf(actor: Actor, id: number, direct_member_only = false): Promise<number[]> {
  const { members } = await actor.does(groups.getUserGroupMembers, { path: { user_group_id: id }, direct_member_only })
  return members
}

function changes(actor: Actor, id: number, change: object) {
  return actor.does(groups.updateUserGroupMembers, { path: { user_group_id: id }, ...change })
}

function cannotChange(actor: Actor, id: number, change: object) {
  return actor.isRefused(groups.updateUserGroupMembers, { path: { user_group_id: id }, ...change })
}

test('members can be added and removed, directly and through subgroups', async () => {
  const { ann, ben, mona } = await newWorld()
  const inner = await makes(ann, 'inner', { members: [mona.id] })
  const outer = await makes(ann, 'outer')
  await changes(ann, outer, { add: [ben.id], add_subgroups: [inner] })
  assert.deepEqual(
    await membersOf(ann, outer),
    [mona.id, ben.id].sort((a, b) => a - b),
  )
  assert.deepEqual(await membersOf(ann, outer, true), [ben.id])
  const asks = async (user: Actor, direct_member_only: boolean) => {
    const path = { user_group_id: outer, user_id: user.id }
    return (await ann.does(groups.getUserGroupMembership, { path, direct_member_only })).is_user_group_member
  }
  assert.deepEqual([await asks(mona, false), await asks(mona, true), await asks(ann, false)], [true, false, false])
  await changes(ann, outer, { delete: [ben.id], delete_subgroups: [inner] })
  assert.deepEqual(await membersOf(ann, outer), [])
})

test('subgroups are listed at any depth', async () => {
  const { ann } = await newWorld()
  const c = await makes(ann, 'c')
  const b = await makes(ann, 'b', { subgroups: [c] })
  const a = await makes(ann, 'a', { subgroups: [b] })
  const path = { user_group_id: a }
  assert.deepEqual((await ann.does(groups.getSubgroups, { path })).subgroups, [c, b])
  assert.deepEqual((await ann.does(groups.getSubgroups, { path, direct_subgroup_only: true })).subgroups, [b])
})

test('a change is applied completely or not at all', async () => {
  const { ann, ben, mona } = await newWorld()
  const id = await makes(ann, 'team', { members: [ben.id] })
  await cannotChange(ann, id, { add: [mona.id, ben.id] })
  await cannotChange(ann, id, { add: [mona.id], delete: [ann.id] })
  await cannotChange(ann, id, { add: [mona.id, 999_999_999] })
  await cannotChange(ann, id, { add: [mona.id], add_subgroups: [999_999_999] })
  await cannotChange(ann, id, {})
  await cannotChange(ann, 999_999_999, { add: [mona.id] })
  assert.deepEqual(await membersOf(ann, id), [ben.id])
})

test('a group of another realm is treated as missing', async () => {
  const { ann, olga } = await newWorld()
  const elsewhere = await newWorld()
  const id = await makes(ann, 'team')
  await cannotChange(elsewhere.olga, id, { add: [elsewhere.ben.id] })
  await elsewhere.olga.isRefused(groups.getUserGroupMembers, { path: { user_group_id: id } })
  await elsewhere.olga.isRefused(groups.updateUserGroup, { path: { user_group_id: id }, name: 'mine' })
  await elsewhere.olga.isRefused(groups.deactivateUserGroup, { path: { user_group_id: id } })
  await changes(olga, id, { add: [olga.id] })
})

test('nobody can change system groups', async () => {
  const { ann, olga } = await newWorld()
  const { user_groups } = await ann.does(groups.getUserGroups)
  for (const { id } of user_groups) {
    await cannotChange(olga, id, { add: [ann.id] })
    await cannotChange(olga, id, { delete: [olga.id] })
    await olga.isRefused(groups.updateUserGroup, { path: { user_group_id: id }, description: 'x' })
    await olga.isRefused(groups.deactivateUserGroup, { path: { user_group_id: id } })
  }
})

test('each operation requires its permission; managers of the group or of all groups may do everything', async () => {
  const { ann, ben, mona, olga } = await newWorld()
  const nobody = { direct_members: [], direct_subgroups: [] }
  const only = (actor: Actor) => ({ direct_members: [actor.id], direct_subgroups: [] })
  const closed = { can_add_members_group: nobody, can_leave_group: nobody, can_manage_group: nobody }

  const adding = await makes(ann, 'adding', { ...closed, can_add_members_group: only(ben) })
  await changes(ben, adding, { add: [mona.id] })
  await cannotChange(ben, adding, { delete: [mona.id] })

  const removing = await makes(ann, 'removing', { ...closed, members: [mona.id], can_remove_members_group: only(ben) })
  await cannotChange(ben, removing, { add: [ann.id] })
  await changes(ben, removing, { delete: [mona.id] })

  const joining = await makes(ann, 'joining', { ...closed, can_join_group: only(ben) })
  await cannotChange(ben, joining, { add: [ben.id, mona.id] })
  await changes(ben, joining, { add: [ben.id] })
  await cannotChange(ben, joining, { delete: [ben.id] })

  const leaving = await makes(ann, 'leaving', { ...closed, members: [ben.id, mona.id], can_leave_group: only(ben) })
  await cannotChange(ben, leaving, { delete: [mona.id] })
  await changes(ben, leaving, { delete: [ben.id] })
  await cannotChange(mona, leaving, { delete: [mona.id] })

  const managed = await makes(ann, 'managed', { ...closed, can_manage_group: only(ben) })
  await changes(ben, managed, { add: [mona.id], add_subgroups: [adding] })
  await changes(ben, managed, { delete: [mona.id], delete_subgroups: [adding] })
  await cannotChange(ann, managed, { add: [mona.id] })
  await changes(olga, managed, { add: [mona.id] })
})

test('a guest may leave a group, but cannot hold permissions that exclude guests', async () => {
  const { ann, gus } = await newWorld()
  const id = await makes(ann, 'team', {
    members: [gus.id],
    can_manage_group: { direct_members: [gus.id, ann.id], direct_subgroups: [] },
  })
  await cannotChange(gus, id, { add: [ann.id] })
  await changes(gus, id, { delete: [gus.id] })
  await cannotChange(gus, id, { add: [gus.id] })
})

test('a group cannot contain itself, at any depth', async () => {
  const { ann } = await newWorld()
  const c = await makes(ann, 'c')
  const b = await makes(ann, 'b', { subgroups: [c] })
  const a = await makes(ann, 'a', { subgroups: [b] })
  await ann.isRefused(groups.updateSubgroups, { path: { user_group_id: c }, add: [a] })
  await ann.isRefused(groups.updateSubgroups, { path: { user_group_id: a }, add: [a] })
  await cannotChange(ann, c, { add_subgroups: [b] })
  await ann.does(groups.updateSubgroups, { path: { user_group_id: a }, delete: [b] })
  await ann.does(groups.updateSubgroups, { path: { user_group_id: c }, add: [a] })
})

test('concurrent changes cannot create a cycle', async () => {
  const { ann, ben } = await newWorld()
  const managers = { can_manage_group: { direct_members: [ann.id, ben.id], direct_subgroups: [] } }
  const ids = await Promise.all(['a', 'b', 'c'].map((name) => makes(ann, name, managers)))
  const answers = await Promise.all(
    ids.map((id, index) =>
      (index % 2 ? ann : ben).request(groups.updateSubgroups, {
        path: { user_group_id: id },
        add: [ids[(index + 1) % 3]],
      }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 400])
})

test('users added or removed by another user get a direct message; bots and the actor do not', async () => {
  const { ann, ben, add } = await newWorld()
  const bot = await add('robo', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  const id = await makes(ann, 'team')
  for (const actor of [ann, ben, bot]) await actor.registers({ apply_markdown: false })
  await changes(ann, id, { add: [ann.id, ben.id, bot.id] })
  await changes(ann, id, { delete: [ben.id] })
  const notices = (await ben.receives('message')).map(({ message }) => message.content)
  assert.deepEqual(notices, [
    `@_**Ann|${ann.id}** added you to the group @_*team*.`,
    `@_**Ann|${ann.id}** removed you from the group @_*team*.`,
  ])
  assert.deepEqual(await ann.receives('message'), [])
  assert.deepEqual(await bot.receives('message'), [])
})

test('joining a group shows the private channels it has a permission in; leaving it hides them', async () => {
  const { ann, ben, mona } = await newWorld()
  const inner = await makes(ann, 'inner')
  const outer = await makes(ann, 'outer', { subgroups: [inner] })
  await ann.does(subscribe, { subscriptions: [{ name: 'den' }], invite_only: true, can_subscribe_group: outer })
  const { subscriptions } = await ann.registers()
  const path = { stream_id: subscriptions!.find(({ name }) => name === 'den')!.stream_id }
  await ben.isRefused(getChannel, { path })
  await verifyEvents([ann, ben, mona], () => changes(ann, inner, { add: [ben.id] }))
  await ben.does(getChannel, { path })
  await ben.does(messages.getMessages, { anchor: 'newest', num_before: 1, num_after: 0 })
  await verifyEvents([ann, ben, mona], () => changes(ann, outer, { delete_subgroups: [inner] }))
  await ben.isRefused(getChannel, { path })
})

test('only changed names, descriptions and permissions are stored and emitted', async () => {
  const { ann, ben } = await newWorld()
  const id = await makes(ann, 'team')
  const path = { user_group_id: id }
  const only = (actor: Actor) => ({ direct_members: [actor.id], direct_subgroups: [] })
  await ben.registers()
  await ann.does(groups.updateUserGroup, {
    path,
    name: 'crew',
    description: 'ours',
    can_join_group: { new: only(ben) },
  })
  await ann.does(groups.updateUserGroup, { path, name: 'crew', can_join_group: { new: only(ben), old: only(ben) } })
  const received = await ben.receives('user_group')
  assert.equal(received.length, 1)
  assert.ok(received[0]?.op === 'update')
  assert.deepEqual(received[0].data, { name: 'crew', description: 'ours', can_join_group: only(ben) })
  const { code, field_name } = await ann.isRefused(groups.updateUserGroup, {
    path,
    name: 'other',
    can_join_group: { new: only(ann), old: only(ann) },
  })
  assert.deepEqual([code, field_name], ['EXPECTATION_MISMATCH', 'old'])
  await ann.isRefused(groups.updateUserGroup, { path })
  await ann.isRefused(groups.updateUserGroup, { path, name: 'role:crew' })
  await ben.isRefused(groups.updateUserGroup, { path, name: 'mine' })
  const { user_groups } = await ann.does(groups.getUserGroups)
  assert.equal(user_groups.at(-1)!.name, 'crew')
})

test('a group in use cannot be deactivated, and the error lists the usages', async () => {
  const { ann, ben, olga } = await newWorld()
  const id = await makes(ann, 'team')
  const path = { user_group_id: id }
  const outer = await makes(ben, 'outer', { subgroups: [id], can_join_group: id })
  await ann.does(subscribe, {
    subscriptions: [{ name: 'den' }],
    can_send_message_group: { direct_members: [ann.id], direct_subgroups: [id] },
  })
  await ben.does(subscribe, { subscriptions: [{ name: 'hidden' }], invite_only: true, can_send_message_group: id })
  const { stream_id } = (await ann.registers()).subscriptions!.find(({ name }) => name === 'den')!
  const refused = await ann.isRefused(groups.deactivateUserGroup, { path })
  assert.equal(refused.code, 'CANNOT_DEACTIVATE_GROUP_IN_USE')
  assert.deepEqual(refused.objections, [
    { type: 'subgroup', supergroup_ids: [outer] },
    { type: 'channel', channel_id: stream_id, settings: ['can_send_message_group'] },
    { type: 'user_group', group_id: outer, settings: ['can_join_group'] },
  ])
  await ben.isRefused(groups.deactivateUserGroup, { path })
  await olga.does(groups.deactivateUserGroup, { path: { user_group_id: outer } })
})

test('a deactivated group is listed only on request, keeps its name and cannot be used', async () => {
  const { ann, ben, mona } = await newWorld()
  const id = await makes(ann, 'team', { members: [ben.id] })
  const path = { user_group_id: id }
  await ann.registers(everything)
  await ben.registers(legacyClient)
  await ann.does(groups.deactivateUserGroup, { path })
  const [update] = await ann.receives('user_group')
  assert.ok(update?.op === 'update')
  assert.deepEqual(update.data, { deactivated: true })
  assert.equal((await ben.receives('user_group'))[0]!.op, 'remove')

  await ann.isRefused(groups.deactivateUserGroup, { path })
  await cannotChange(ann, id, { add: [mona.id] })
  await ann.isRefused(groups.createUserGroup, { name: 'team', description: '', members: [] })
  await ann.isRefused(groups.createUserGroup, { name: 'new', description: '', members: [], subgroups: [id] })
  await ann.isRefused(groups.createUserGroup, { name: 'new', description: '', members: [], can_join_group: id })
  await ann.does(groups.updateUserGroup, { path, name: 'old team' })
  await ann.does(groups.createUserGroup, { name: 'team', description: '', members: [] })
  assert.equal((await ben.receives('user_group')).length, 2)

  const has = async (include_deactivated_groups: boolean) => {
    const { user_groups } = await ann.does(groups.getUserGroups, { include_deactivated_groups })
    return user_groups.some((group) => group.id === id)
  }
  assert.deepEqual([await has(false), await has(true)], [false, true])
})

test('a deactivated group can be updated, and only clients that support such groups receive the event', async () => {
  const { ann, ben, olga } = await newWorld()
  const id = await makes(ann, 'team')
  const path = { user_group_id: id }
  await ann.does(groups.deactivateUserGroup, { path })
  await ann.registers(everything)
  await ben.registers(legacyClient)
  const can_manage_group = { direct_members: [olga.id, ann.id], direct_subgroups: [] }
  await ann.does(groups.updateUserGroup, { path, description: 'former', can_manage_group: { new: can_manage_group } })
  await ben.isRefused(groups.updateUserGroup, { path, description: 'mine' })
  const [update] = await ann.receives('user_group')
  assert.ok(update?.op === 'update')
  assert.deepEqual(update.data, { description: 'former', can_manage_group })
  assert.deepEqual(await ben.receives('user_group'), [])
})

test('a deactivated user cannot be removed from a group', async () => {
  const { ann, ben, olga } = await newWorld()
  const id = await makes(ann, 'team', { members: [ben.id] })
  await olga.does(deactivateUser, { path: { user_id: ben.id } })
  await cannotChange(ann, id, { delete: [ben.id] })
})

for (const [name, params] of Object.entries({ everything, legacyClient }))
  test(`events are complete: groups change (${name})`, async () => {
    const { ann, ben, gus } = await newWorld()
    const id = await makes(ann, 'team', { members: [ann.id] })
    const inner = await makes(ann, 'inner')
    await verifyEvents(
      [ann, ben, gus],
      async () => {
        await changes(ann, id, { add: [ben.id], delete: [ann.id], add_subgroups: [inner] })
        const members = { direct_members: [ben.id], direct_subgroups: [inner] }
        await ann.does(groups.updateUserGroup, {
          path: { user_group_id: id },
          name: 'crew',
          can_mention_group: { new: members },
        })
        await ann.does(groups.updateSubgroups, { path: { user_group_id: id }, delete: [inner] })
        await ann.does(groups.deactivateUserGroup, { path: { user_group_id: id } })
        await ann.does(groups.updateUserGroup, { path: { user_group_id: id }, name: 'old crew' })
      },
      params,
    )
  })

test('a group cannot be deactivated while it is concurrently given a permission', async () => {
  const { ann, olga } = await newWorld()
  for (let round = 0; round < 5; round++) {
    const id = await makes(ann, `team ${round}`)
    const [deactivated, given] = await Promise.all([
      ann.request(groups.deactivateUserGroup, { path: { user_group_id: id } }),
      olga.request(updateRealm, { can_create_groups: { new: id } }),
    ])
    assert.deepEqual([deactivated.status, given.status].sort(), [200, 400])
    const { user_groups } = await ann.does(groups.getUserGroups)
    const members = user_groups.find(({ name }) => name === 'role:members')!.id
    await olga.does(updateRealm, { can_create_groups: { new: members } })
  }
})
