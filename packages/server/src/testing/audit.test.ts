import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationList, operations } from '@parley/api/operations'
import { exists, many, one } from '../platform/db/query.ts'
import { inChannel } from './channels.ts'
import { callable, populate, sampleOf } from './samples.ts'
import { newWorld, type World } from './world.ts'

/** Operations by which users who are not administrators change shared objects or accounts. */
const alsoAdministrative = [
  'updateChannel',
  'archiveChannel',
  'createUserGroup',
  'updateUserGroup',
  'deactivateUserGroup',
  'updateUserGroupMembers',
  'updateSubgroups',
  'createBot',
  'updateBot',
  'deactivateBot',
  'regenerateBotApiKey',
  'regenerateApiKey',
  'deactivateOwnUser',
  'deactivateEmoji',
  'deleteMessage',
]

/** Requests that change something, where the usual sample does not. */
const changing: Record<string, (world: World) => object | Promise<object>> = {
  updateRealm: () => ({ mandatory_topics: true }),
  deleteTopic: () => ({ topic_name: 'greetings' }),
  reactivateUser: async ({ olga, add }) => {
    const path = { user_id: (await add('gone')).id }
    await olga.does(operations.deactivateUser, { path })
    return { path }
  },
}

const administrative = callable().filter(
  ({ name, access, method }) =>
    alsoAdministrative.includes(name) || (method !== 'GET' && (access === 'admin' || access === 'owner')),
)

async function newestRow({ ctx, realmId }: World): Promise<number> {
  const { id } = await one<{ id: number }>(ctx.db)`
    select coalesce(max(id), 0) as id from audit_log where realm_id = ${realmId}`
  return id
}

test('every administrative operation writes an audit log row that names the actor', async () => {
  const world = await populate(await newWorld())
  const silent: string[] = []
  for (const operation of administrative) {
    const { by, path, params } = await sampleOf(operation, world)
    const instead = await changing[operation.name]?.(world)
    const before = await newestRow(world)
    const { status, body } = await by.request(operation, { path, ...params, ...instead })
    assert.equal(status, 200, `${operation.name}: ${JSON.stringify(body)}`)
    const found = await exists(world.ctx.db)`
      select 1 from audit_log
       where realm_id = ${world.realmId} and id > ${before} and acting_user_id = ${by.id}`
    if (!found) silent.push(operation.name)
  }
  assert.deepEqual(silent, [])
})

test('the list contains only operations that exist', () => {
  const known = new Set(operationList.map(({ name }) => name))
  assert.deepEqual(
    [...alsoAdministrative, ...Object.keys(changing)].filter((name) => !known.has(name)),
    [],
  )
})

test('changes to default channels and to subscriptions of others are in the audit log, changes to own subscriptions are not', async () => {
  const { ann, ben, adam, ctx, realmId } = await newWorld()
  const path = { stream_id: await inChannel('verona', [ann]) }
  await ann.does(operations.subscribe, { subscriptions: [{ name: 'verona' }], principals: [ann.id, ben.id] })
  for (const is_default_stream of [true, true, false])
    await adam.does(operations.updateChannel, { path, is_default_stream })
  await adam.does(operations.unsubscribe, { subscriptions: ['verona'], principals: [ben.id] })
  await ann.does(operations.unsubscribe, { subscriptions: ['verona'] })
  const rows = await many<{ acting_user_id: number; action: string }>(ctx.db)`
    select acting_user_id, action from audit_log where realm_id = ${realmId} order by id`
  const acts = rows.filter(({ action }) => /default_channel|subscribers/.test(action))
  assert.deepEqual(
    acts.map(({ acting_user_id, action }) => [acting_user_id, action]),
    [
      [ann.id, 'subscribers_added'],
      [adam.id, 'default_channel_added'],
      [adam.id, 'default_channel_removed'],
      [adam.id, 'subscribers_removed'],
    ],
  )
})
