import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationList, operations } from '@parley/api/operations'
import { exists, many, one } from '../platform/db/query.ts'
import { inChannel } from './channels.ts'
import { callable, populate, sampleOf } from './samples.ts'
import { newWorld, type World } from './world.ts'

/** Operations that need no row, and why. Every other one that changes something must write a row. */
const notAudited: Record<string, string[]> = {
  'content, which belongs to its author': [
    'sendMessage',
    'editMessage',
    'renderMessage',
    'addReaction',
    'removeReaction',
    'addSubmessage',
    'stopWork',
    'scheduleMessage',
    'editScheduledMessage',
    'deleteScheduledMessage',
    'createChannelPin',
    'deleteChannelPin',
    'createReminder',
    'deleteReminder',
    'reportMessage',
    'updateMessagePreviews',
    'createDrafts',
    'editDraft',
    'deleteDraft',
    'createSavedSnippet',
    'editSavedSnippet',
    'deleteSavedSnippet',
    'uploadFile',
    'deleteAttachment',
    'testHook',
  ],
  'what a user sees, and how': [
    'updateMessageFlags',
    'updateFlagsInNarrow',
    'markAllAsRead',
    'markChannelAsRead',
    'markTopicAsRead',
    'setTopicPolicy',
    'muteTopic',
    'muteUser',
    'unmuteUser',
    'addAlertWords',
    'removeAlertWords',
    'updateSubscriptions',
    'updateSubscriptionProperties',
    'updateSubscription',
    'updateSettings',
    'updateStatus',
    'updateProfileData',
    'removeProfileData',
    'addApnsToken',
    'removeApnsToken',
    'addFcmToken',
    'removeFcmToken',
    'addWebPush',
    'removeWebPush',
    'testWebPush',
    'retryEmail',
    'sendTestEmail',
    'sendTestNotification',
  ],
  "the caller's own image": ['uploadAvatar', 'deleteAvatar'],
  'of the moment': ['register', 'deleteQueue', 'setTypingStatus', 'setEditTypingStatus', 'updatePresence'],
  "the caller's own subscriptions; those of others are tested below": ['subscribe', 'unsubscribe'],
  'the storage of a bot': ['updateBotStorage', 'deleteBotStorage'],
  'changes nothing': ['getWebhookPayload', 'getBotSecrets', 'previewHook'],
  'changes nothing in the sample; its row is tested in server-settings': ['updateOwnServer'],
  'tested in sign-in': ['fetchApiKey', 'jwtFetchApiKey', 'createSession', 'devFetchApiKey', 'endCurrentSession'],
}
const exempt = new Set(Object.values(notAudited).flat())

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

const audited = callable().filter(({ name, method }) => method !== 'GET' && !exempt.has(name))

async function newestRow({ ctx, realmId }: World): Promise<number> {
  const { id } = await one<{ id: number }>(ctx.db)`
    select coalesce(max(id), 0) as id from audit_log where realm_id = ${realmId}`
  return id
}

test('every operation that changes something relevant writes an audit log row with actor, origin and IP address', async () => {
  const world = await populate(await newWorld())
  const silent: string[] = []
  for (const operation of audited) {
    const { by, path, params } = await sampleOf(operation, world)
    const instead = await changing[operation.name]?.(world)
    const before = await newestRow(world)
    const { status, body } = await by.request(operation, { path, ...params, ...instead })
    assert.equal(status, 200, `${operation.name}: ${JSON.stringify(body)}`)
    const found = await exists(world.ctx.db)`
      select 1 from audit_log
       where realm_id = ${world.realmId} and id > ${before} and acting_user_id = ${by.id}
         and via = 'key' and ip_address = '127.0.0.1'`
    if (!found) silent.push(`${operation.name} writes no audit row: write one, or name it in notAudited`)
  }
  assert.deepEqual(silent, [])
})

test('the lists contain only operations that exist', () => {
  const known = new Set(operationList.map(({ name }) => name))
  assert.deepEqual(
    [...exempt, ...Object.keys(changing)].filter((name) => !known.has(name)),
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
