import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as groups from '@parley/api/organization/groups'
import { loadCaller } from '../../../callers/caller.ts'
import { exists } from '../../../platform/db/query.ts'
import { inChannel, openToWeb } from '../../../testing/channels.ts'
import { newWorld, type World } from '../../../testing/world.ts'
import { canSeeChannel, findChannel } from '../access.ts'
import { readHolders, seesUnsubscribed } from './channel-audience.ts'
import { readChannelViewers } from './channel-viewers.ts'
import { isVisibleTo } from './conditions.ts'

const cast = ['olga', 'adam', 'mona', 'ann', 'ben', 'gus'] as const

/** The users who can see the channel, by each implementation of the rule. */
async function viewersByRule(world: World, id: number) {
  const { ctx, realmId } = world
  const state = await ctx.realms.get(realmId)
  const found = { check: [] as string[], condition: [] as string[], viewers: [] as string[], holders: [] as string[] }
  for (const name of cast) {
    const caller = (await loadCaller(ctx.db, state, world[name].id))!
    const channel = (await findChannel(ctx.db, caller, id))!
    const present = await exists(ctx.db)`
      select 1 from channels c where c.realm_id = ${realmId} and c.id = ${id} and ${isVisibleTo(caller)}`
    if (await canSeeChannel(ctx.db, caller, channel)) found.check.push(name)
    if (present) found.condition.push(name)
    if ((await readChannelViewers(ctx.db, [channel])).get(id)!.has(caller.id)) found.viewers.push(name)
    const isCreator = name === 'ann' // the only subscriber
    if (isCreator || seesUnsubscribed(caller, channel, await readHolders(ctx.db, realmId, [channel])))
      found.holders.push(name)
  }
  return found
}

test('every implementation of "may see the channel" agrees', async () => {
  const world = await newWorld()
  const { ann, ben, gus, mona, olga } = world
  await olga.does(groups.createUserGroup, { name: 'inner', description: '', members: [mona.id, gus.id] })
  const { user_groups } = await olga.does(groups.getUserGroups)
  const inner = user_groups.find(({ name }) => name === 'inner')!.id
  const nested = { direct_members: [ben.id, gus.id], direct_subgroups: [inner] }
  const hidden = { invite_only: true }
  const open = await inChannel('open', [ann])
  const web = await inChannel('web', [ann])
  await openToWeb(world, 'web')
  const expected = new Map([
    [open, ['olga', 'adam', 'mona', 'ann', 'ben']],
    [web, ['olga', 'adam', 'mona', 'ann', 'ben', 'gus']],
    [await inChannel('closed', [ann], hidden), ['olga', 'adam', 'ann']],
  ])
  for (const permission of [
    'can_administer_channel_group',
    'can_add_subscribers_group',
    'can_subscribe_group',
  ] as const)
    expected.set(await inChannel(permission, [ann], { ...hidden, [permission]: nested }), [
      ...['olga', 'adam', 'mona', 'ann', 'ben'],
    ])

  for (const [id, names] of expected)
    assert.deepEqual(await viewersByRule(world, id), { check: names, condition: names, viewers: names, holders: names })
})
