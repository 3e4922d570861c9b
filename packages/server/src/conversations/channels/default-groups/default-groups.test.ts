import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDefaultChannel, archiveChannel, updateChannel } from '@parley/api/conversations/channels'
import * as api from '@parley/api/conversations/default-channel-groups'
import { register } from '@parley/api/delivery/queues'
import { updateUser } from '@parley/api/identity/accounts'
import { storageLimits } from '@parley/api/limits'
import { getAuditLog } from '@parley/api/operation/audit-log'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld } from '../../../testing/world.ts'

async function groupsOf(actor: Actor) {
  const state = await actor.does(register, { fetch_event_types: ['default_stream_groups'] })
  return state.realm_default_stream_groups!
}

async function makes(actor: Actor, group_name: string, stream_names: string[] = [], description = ''): Promise<number> {
  await actor.does(api.createDefaultChannelGroup, { group_name, description, stream_names })
  return (await groupsOf(actor)).find(({ name }) => name === group_name.trim())!.id
}

const at = (group_id: number) => ({ path: { group_id } })

test('a group is created, changed and deleted, and members see it by name', async () => {
  const { adam, ann, gus } = await newWorld()
  const [garden, kitchen] = [await inChannel('garden', [adam]), await inChannel('kitchen', [adam])]
  await ann.registers()
  await gus.registers()
  const id = await makes(adam, ' Outside ', ['garden'], 'Plants')
  await makes(adam, 'Inside', ['kitchen'])
  const both = await groupsOf(ann)
  assert.deepEqual(
    both.map(({ name, streams }) => [name, streams]),
    [
      ['Inside', [kitchen]],
      ['Outside', [garden]],
    ],
  )
  assert.deepEqual(await groupsOf(gus), [])

  await adam.does(api.updateDefaultChannelGroup, {
    ...at(id),
    new_group_name: 'Open air',
    new_description: 'All green',
  })
  await adam.does(api.updateDefaultChannelGroupChannels, { ...at(id), op: 'add', stream_names: ['kitchen'] })
  await adam.does(api.updateDefaultChannelGroupChannels, { ...at(id), op: 'remove', stream_names: ['garden'] })
  assert.deepEqual(
    (await groupsOf(ann)).find((group) => group.id === id),
    { id, name: 'Open air', description: 'All green', streams: [kitchen] },
  )
  await adam.does(api.deleteDefaultChannelGroup, at(id))
  assert.deepEqual(
    (await groupsOf(ann)).map(({ name }) => name),
    ['Inside'],
  )
  const events = await ann.receives('default_stream_groups')
  assert.equal(events.length, 6)
  assert.deepEqual(events.at(-1)!.default_stream_groups, await groupsOf(ann))
  assert.deepEqual(await gus.receives('default_stream_groups'), [])
})

test('a group needs a name of its own and public channels that are no default channels', async () => {
  const { adam, ann } = await newWorld()
  await inChannel('garden', [adam])
  await adam.does(addDefaultChannel, { stream_id: await inChannel('lobby', [adam]) })
  await inChannel('cellar', [adam], { invite_only: true })
  await inChannel('hidden', [ann], { invite_only: true })
  const id = await makes(adam, 'Outside', ['garden'])
  const refused = [
    [{ group_name: ' ' }, /^Invalid default channel group name/],
    [{ group_name: 'Outside' }, /already exists$/],
    [{ group_name: 'x', stream_names: ['lobby'] }, /^'lobby' is a default channel and cannot be added to 'x'$/],
    [{ group_name: 'x', stream_names: ['cellar'] }, /^Private channels cannot be made default/],
    [{ group_name: 'x', stream_names: ['nowhere'] }, /^Invalid channel name 'nowhere'$/],
    [{ group_name: 'x', stream_names: ['hidden'] }, /^Invalid channel name 'hidden'$/],
    [{ group_name: 'x'.repeat(61) }, /60/],
    [{ group_name: 'x', description: 'x'.repeat(1025) }, /1024/],
  ] as const
  for (const [params, msg] of refused) {
    const answer = await adam.isRefused(api.createDefaultChannelGroup, { description: '', stream_names: [], ...params })
    assert.match(answer.msg, msg)
  }
  const changes = [
    [{}, /^You must pass "new_description" or "new_group_name"/],
    [{ new_group_name: 'Outside' }, /already named 'Outside'/],
    [{ new_group_name: '', new_description: 'x' }, /^Invalid default channel group name/],
  ] as const
  for (const [params, msg] of changes)
    assert.match((await adam.isRefused(api.updateDefaultChannelGroup, { ...at(id), ...params })).msg, msg)
  const moves = [
    [{ op: 'add', stream_names: ['garden'] }, /already present in default channel group 'Outside'/],
    [{ op: 'remove', stream_names: ['lobby'] }, /not present in default channel group 'Outside'/],
    [{ op: 'swap', stream_names: [] }, /op/],
  ] as const
  for (const [params, msg] of moves)
    assert.match((await adam.isRefused(api.updateDefaultChannelGroupChannels, { ...at(id), ...params })).msg, msg)
  assert.match((await adam.isRefused(api.deleteDefaultChannelGroup, at(999_999))).msg, /'999999' does not exist/)
  const elsewhere = await newWorld()
  await elsewhere.adam.isRefused(api.deleteDefaultChannelGroup, at(id))
})

test('the number of groups is limited', async () => {
  const { adam } = await newWorld()
  for (let number = 0; number < storageLimits.defaultChannelGroups; number++)
    await adam.does(api.createDefaultChannelGroup, { group_name: `${number}`, description: '', stream_names: [] })
  const more = { group_name: 'more', description: '', stream_names: [] }
  assert.match((await adam.isRefused(api.createDefaultChannelGroup, more)).msg, /at most 50 default channel groups/)
})

test('a channel of a group cannot become private, and leaves the group when it is archived', async () => {
  const { adam, ann } = await newWorld()
  const stream_id = await inChannel('garden', [adam])
  await makes(adam, 'Outside', ['garden'])
  const refusal = await adam.isRefused(updateChannel, { path: { stream_id }, is_private: true })
  assert.match(refusal.msg, /^A channel of a default channel group cannot be private/)
  await ann.registers()
  await adam.does(archiveChannel, { path: { stream_id } })
  assert.deepEqual((await groupsOf(ann))[0]?.streams, [])
  assert.equal((await ann.receives('default_stream_groups')).length, 1)
})

test('the audit log names every change of a group', async () => {
  const { adam, olga } = await newWorld()
  await inChannel('garden', [adam])
  const id = await makes(adam, 'Outside')
  await adam.does(api.updateDefaultChannelGroupChannels, { ...at(id), op: 'add', stream_names: ['garden'] })
  await adam.does(api.updateDefaultChannelGroupChannels, { ...at(id), op: 'remove', stream_names: ['garden'] })
  await adam.does(api.updateDefaultChannelGroup, { ...at(id), new_description: 'x' })
  await adam.does(api.deleteDefaultChannelGroup, at(id))
  const { rows } = await olga.does(getAuditLog, { actor_id: adam.id })
  const actions = rows.map(({ action }) => action).filter((action) => action.startsWith('default_channel_group_'))
  assert.deepEqual(actions.sort(), [
    'default_channel_group_channels_added',
    'default_channel_group_channels_removed',
    'default_channel_group_created',
    'default_channel_group_deleted',
    'default_channel_group_updated',
  ])
})

test('state after events equals a new state: default channel groups', async () => {
  const { adam, ann, gus, olga } = await newWorld()
  await inChannel('garden', [adam])
  const id = await makes(adam, 'Outside')
  await verifyEvents([ann, gus], async () => {
    await makes(adam, 'Inside', ['garden'])
    await adam.does(api.updateDefaultChannelGroup, { ...at(id), new_group_name: 'Away' })
    await olga.does(updateUser, { path: { user_id: gus.id }, role: 400 })
    await olga.does(updateUser, { path: { user_id: ann.id }, role: 600 })
  })
})
