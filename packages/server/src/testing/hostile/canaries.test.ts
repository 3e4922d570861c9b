import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import type { Operation } from '@parley/api/operation'
import { operationList, operations } from '@parley/api/operations'
import { buildApp } from '../../http/app.ts'
import { Actor } from '../actor.ts'
import { inChannel } from '../channels.ts'
import { upload } from '../files.ts'
import { everything } from '../verify-events.ts'
import { newWorld, type World } from '../world.ts'

/** Strings that occur only in private data. */
const canaries = {
  name: 'canary-name-7f3a',
  newName: 'canary-renamed-19bd',
  description: 'canary-description-c04e',
  topic: 'canary-topic-58d1',
  newTopic: 'canary-moved-e6b2',
  content: 'canary-content-a917',
  edited: 'canary-edited-3c5f',
  direct: 'canary-direct-d28c',
  snippet: 'canary-snippet-90fe',
  draft: 'canary-draft-4a6d',
  later: 'canary-scheduled-b7e3',
  note: 'canary-reminder-4d1c',
  alert: 'canary-alert-1d94',
  email: 'canary-email-77aa@',
  file: 'canary-file-2b7c.txt',
  bytes: 'canary-bytes-e05d',
  token: 'canary-token-6c18',
  hook: 'canary-hook-f3b9',
  mention: 'canary-mention-8e21',
} as const
type Canary = keyof typeof canaries

/** Administrators may know the names and descriptions of private channels, and where bots post. */
const metadata: Canary[] = ['name', 'newName', 'description', 'hook']

interface Secrets {
  path: Record<string, number | string>
  words: string[]
  /** The keys of a bot, which administrators may see too. */
  keys?: string[]
  file?: string
}

/** Ann does everything that leaves a trace, in private. */
async function actInPrivate(world: World, confidant: Actor): Promise<Secrets> {
  const { ann, olga } = world
  const { name, description, topic, content } = canaries
  const options = { invite_only: true, subscriptions: [{ name, description }] }
  const stream_id = await inChannel(name, [ann, confidant], options)
  const message_id = await ann.sends({ channel: name, topic, content })
  await ann.does(operations.setTypingStatus, { op: 'start', type: 'stream', stream_id, topic })
  await confidant.does(operations.addReaction, { path: { message_id }, emoji_name: 'tada' })
  await ann.does(operations.editMessage, { path: { message_id }, content: canaries.edited })
  await ann.does(operations.editMessage, {
    path: { message_id },
    topic: canaries.newTopic,
    propagate_mode: 'change_all',
  })
  await ann.does(operations.setTopicPolicy, { stream_id, topic: canaries.newTopic, visibility_policy: 3 })
  await ann.does(operations.updateMessageFlags, { messages: [message_id], op: 'add', flag: 'starred' })
  await olga.does(operations.updateChannel, { path: { stream_id }, new_name: canaries.newName })
  await ann.sends({ to: [confidant], content: canaries.direct })
  await ann.does(operations.createSavedSnippet, { title: canaries.snippet, content: canaries.snippet })
  await ann.does(operations.createDrafts, {
    drafts: [{ type: 'stream', to: [stream_id], topic: canaries.draft, content: canaries.draft }],
  })
  await ann.does(operations.scheduleMessage, {
    type: 'stream',
    to: stream_id,
    topic: canaries.later,
    content: canaries.later,
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600,
  })
  await ann.does(operations.createReminder, {
    message_id,
    note: canaries.note,
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600,
  })
  await ann.does(operations.addAlertWords, { alert_words: [canaries.alert] })
  await ann.does(operations.addFcmToken, { token: canaries.token })
  const file = await upload(world, ann, { content: canaries.bytes, filename: canaries.file, type: 'text/plain' })
  await ann.sends({ channel: canaries.newName, content: `[file](${file})` })
  const { bot_id, keys } = await mentionBot(ann)
  const [, , realm_id_str, ...rest] = file.split('/')
  const path = { stream_id, message_id, user_id: ann.id, bot_id, realm_id_str: realm_id_str!, filename: rest.join('/') }
  return { path, words: [...Object.values(canaries), ...keys], keys, file }
}

/** A bot of Ann's receives a private message and should post it to its endpoint. */
async function mentionBot(ann: Actor): Promise<{ bot_id: number; keys: string[] }> {
  const service = { bot_type: 3 as const, payload_url: `https://${canaries.hook}.example` }
  const bot = await ann.does(operations.createBot, { full_name: 'Poster', short_name: 'poster', ...service })
  await ann.does(operations.subscribe, { subscriptions: [{ name: canaries.newName }], principals: [bot.user_id] })
  await ann.sends({ channel: canaries.newName, content: `@**Poster** ${canaries.mention}` })
  const secret = await ann.does(operations.getWebhookSecret, { path: { bot_id: bot.user_id } })
  const hidden = Object.values(secret).filter((value) => typeof value === 'string' && value.length > 20) as string[]
  assert.ok(hidden.length > 0)
  return { bot_id: bot.user_id, keys: [bot.api_key, ...hidden] }
}

/** Ways to find a message without knowing a secret word. */
const narrows = (stream_id: number, user: number) => [
  [],
  [{ operator: 'channels', operand: 'public' }],
  [{ operator: 'channel', operand: stream_id }],
  [{ operator: 'sender', operand: user }],
  [{ operator: 'dm', operand: [user] }],
  [{ operator: 'dm-including', operand: user }],
  [{ operator: 'is', operand: 'starred' }],
  [{ operator: 'is', operand: 'followed' }],
  [{ operator: 'has', operand: 'reaction' }],
  [{ operator: 'search', operand: 'canary' }],
]

/** Everything that can be read by knowing only ids. */
async function readsAll(actor: Actor, { path }: Secrets): Promise<string[]> {
  const answers: string[] = []
  const read = async (operation: Operation, params: Record<string, unknown>) =>
    void answers.push(`${operation.name} ${JSON.stringify((await actor.request(operation, params)).body)}`)
  for (const operation of operationList) {
    if (operation.method !== 'GET' || operation.name === 'getEvents') continue
    const parts = Object.keys(operation.pathParams)
    if (parts.every((part) => part in path)) await read(operation, { path })
  }
  for (const narrow of narrows(Number(path.stream_id), Number(path.user_id)))
    await read(operations.getMessages, { anchor: 'newest', num_before: 100, num_after: 0, narrow })
  await read(operations.getConversations as Operation, { include_unsubscribed: true, limit: 100 })
  const msg_ids = [path.message_id]
  await read(operations.matchNarrow, { msg_ids, narrow: [{ operator: 'search', operand: 'canary' }] })
  await read(operations.register, { ...everything, all_public_streams: false })
  for (const operation of [operations.editMessage, operations.deleteMessage, operations.addReaction] as Operation[])
    await read(operation, { path, content: 'x', emoji_name: 'smile' })
  for (const operation of [operations.updateChannel, operations.archiveChannel] as Operation[])
    if (!actor.name.startsWith('Ol') && !actor.name.startsWith('Ad')) await read(operation, { path, description: 'x' })
  return answers
}

/** Which secrets an actor finds in events and responses, and where. */
async function leaks(
  { app }: Pick<World, 'app'>,
  actor: Actor,
  secrets: Secrets,
  allowed: string[],
): Promise<string[]> {
  const received = (await actor.reads()).map((event) => JSON.stringify(event))
  const bytes =
    secrets.file === undefined ? [] : [(await app.inject({ url: secrets.file, headers: actor.headers })).body]
  const said = [...received, ...(await readsAll(actor, secrets)), ...bytes]
  const forbidden = secrets.words.filter((word) => !allowed.includes(word))
  return said.flatMap((text) =>
    forbidden
      .filter((word) => text.includes(word))
      .map((word) => `${actor.name} learns ${word} from ${text.slice(0, 200)}`),
  )
}

/** A realm in which Ann acted in private while all users were listening. */
async function secretive() {
  const world = await newWorld()
  const elsewhere = await newWorld()
  const { ann, ben, mona, gus, adam, olga, add } = world
  const confidant = await add(canaries.email.slice(0, -1))
  await confidant.does(operations.updateSettings, { email_address_visibility: 4 })
  const bot = await add('robo', roles.member, { bot_type: 1, bot_owner_id: ben.id })
  await inChannel('plaza', [ann, confidant, ben, mona, gus, adam, olga, bot])
  const members = [ben, mona, bot]
  const outsiders = [...members, gus, elsewhere.olga]
  for (const actor of [...outsiders, adam, olga])
    await actor.registers({ ...everything, ...(members.includes(actor) && { all_public_streams: true }) })
  const secrets = await actInPrivate(world, confidant)
  const known = [...metadata.map((canary) => canaries[canary] as string), ...secrets.keys!]
  return { world, confidant, secrets, outsiders, administrators: [adam, olga], known }
}

test('private data appears in no response, event or file of users who may not see it', async () => {
  const { world, confidant, secrets, outsiders, administrators, known } = await secretive()
  await confidant.registers(everything)
  assert.match((await readsAll(confidant, secrets)).join(), /canary-edited/)
  for (const actor of outsiders) assert.deepEqual(await leaks(world, actor, secrets, []), [])
  for (const actor of administrators) assert.deepEqual(await leaks(world, actor, secrets, known), [])
})

test('the canaries notice a route that leaks', async () => {
  const { world, secrets } = await secretive()
  const app = buildApp(world.ctx)
  app.addHook('onSend', async (request, _reply, body) =>
    request.url === '/api/v1/user_groups' ? String(body).replace('"msg":""', `"msg":"${canaries.newTopic}"`) : body,
  )
  const reader = new Actor(app, world.ben.id, world.ben.name, world.ben.credentials)
  await reader.registers(everything)
  const found = await leaks({ app }, reader, secrets, [])
  await app.close()
  assert.equal(found.length, 1)
  assert.match(found[0]!, /learns canary-moved-e6b2 from getUserGroups/)
})

test('a new subscriber of a channel with protected history learns nothing about its old topics', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const stream_id = await inChannel('vault', [ann], { invite_only: true })
  const { topic, content, newTopic } = canaries
  const message_id = await ann.sends({ channel: 'vault', topic, content })
  await ann.does(operations.subscribe, { subscriptions: [{ name: 'vault' }], principals: [ben.id] })
  await ben.registers(everything)
  await ann.does(operations.setTypingStatus, { op: 'start', type: 'stream', stream_id, topic: 'hello' })
  await ann.does(operations.setEditTypingStatus, { path: { message_id }, op: 'start' })
  const silently = { send_notification_to_old_thread: false, send_notification_to_new_thread: false }
  await ann.does(operations.editMessage, { path: { message_id }, topic: newTopic, ...silently })
  await ann.does(operations.addReaction, { path: { message_id }, emoji_name: 'tada' })
  const secrets = { path: { stream_id, message_id, user_id: ann.id }, words: [topic, content, newTopic] }
  assert.deepEqual(await leaks(world, ben, secrets, []), [])
})

test('a user who unsubscribed from a private channel learns nothing about later messages', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const { name, topic, content } = canaries
  const stream_id = await inChannel('secrets', [ann, ben], { invite_only: true })
  await ben.registers(everything)
  await ben.does(operations.unsubscribe, { subscriptions: ['secrets'] })
  await ann.does(operations.updateChannel, { path: { stream_id }, new_name: name })
  const message_id = await ann.sends({ channel: name, topic, content })
  const secrets = { path: { stream_id, message_id, user_id: ann.id }, words: [name, topic, content] }
  assert.deepEqual(await leaks(world, ben, secrets, []), [])
})
