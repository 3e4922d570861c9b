import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import type { Operation } from '@parley/api/operation'
import { operationList, operations } from '@parley/api/operations'
import type { Actor } from './actor.ts'
import { inChannel } from './channels.ts'
import { everything } from './verify-events.ts'
import { newWorld, type World } from './world.ts'

/** Strings that occur nowhere but in what is private. */
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
  alert: 'canary-alert-1d94',
} as const
type Canary = keyof typeof canaries

/** Administrators know that private channels exist, what they are called and what they are for. */
const metadata: Canary[] = ['name', 'newName', 'description']

interface Secrets {
  path: Record<string, number>
  words: string[]
}

/** Ann does everything that leaves a trace, in private. */
async function actInPrivate({ ann, olga }: World, confidant: Actor): Promise<Secrets> {
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
  await ann.does(operations.addAlertWords, { alert_words: [canaries.alert] })
  return { path: { stream_id, message_id, user_id: ann.id }, words: Object.values(canaries) }
}

/** The ways to look for a message that need no secret word. */
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

/** Everything that can be read without knowing more than ids. */
async function readsAll(actor: Actor, { path }: Secrets): Promise<string[]> {
  const answers: string[] = []
  const read = async (operation: Operation, params: Record<string, unknown>) =>
    void answers.push(`${operation.name} ${JSON.stringify((await actor.request(operation, params)).body)}`)
  for (const operation of operationList) {
    if (operation.method !== 'GET' || operation.name === 'getEvents') continue
    const parts = Object.keys(operation.pathParams)
    if (parts.every((part) => part in path)) await read(operation, { path })
  }
  for (const narrow of narrows(path.stream_id!, path.user_id!))
    await read(operations.getMessages, { anchor: 'newest', num_before: 100, num_after: 0, narrow })
  const msg_ids = [path.message_id]
  await read(operations.matchNarrow, { msg_ids, narrow: [{ operator: 'search', operand: 'canary' }] })
  await read(operations.register, { ...everything, all_public_streams: false })
  for (const operation of [operations.editMessage, operations.deleteMessage, operations.addReaction] as Operation[])
    await read(operation, { path, content: 'x', emoji_name: 'smile' })
  for (const operation of [operations.updateChannel, operations.archiveChannel] as Operation[])
    if (!actor.name.startsWith('Ol') && !actor.name.startsWith('Ad')) await read(operation, { path, description: 'x' })
  return answers
}

test('nothing private shows in any answer or event of those who may not see it', async () => {
  const world = await newWorld()
  const elsewhere = await newWorld()
  const { ann, ben, mona, gus, adam, olga, add } = world
  const confidant = await add('cleo')
  const bot = await add('robo', roles.member, { bot_type: 1, bot_owner_id: ben.id })
  await inChannel('plaza', [ann, confidant, ben, mona, gus, adam, olga, bot])
  const members = [ben, mona, bot]
  const outsiders = [...members, gus, elsewhere.olga]
  for (const actor of [...outsiders, adam, olga])
    await actor.listens({ ...everything, ...(members.includes(actor) && { all_public_streams: true }) })

  const secrets = await actInPrivate(world, confidant)
  await readsAll(confidant, secrets).then((answers) => assert.match(answers.join(), /canary-edited/))

  for (const actor of [...outsiders, adam, olga]) {
    const known = actor === adam || actor === olga ? metadata.map((canary) => canaries[canary] as string) : []
    const forbidden = secrets.words.filter((word) => !known.includes(word))
    const heard = (await actor.reads()).map((event) => JSON.stringify(event))
    for (const said of [...heard, ...(await readsAll(actor, secrets))])
      for (const word of forbidden)
        assert.ok(!said.includes(word), `${actor.name} learns ${word} from ${said.slice(0, 200)}`)
  }
})

test('whoever has left a private channel learns nothing of what is said there afterwards', async () => {
  const { ann, ben } = await newWorld()
  const { name, topic, content } = canaries
  const stream_id = await inChannel('secrets', [ann, ben], { invite_only: true })
  await ben.listens(everything)
  await ben.does(operations.unsubscribe, { subscriptions: ['secrets'] })
  await ann.does(operations.updateChannel, { path: { stream_id }, new_name: name })
  const message_id = await ann.sends({ channel: name, topic, content })
  const heard = (await ben.reads()).map((event) => JSON.stringify(event))
  const answers = await readsAll(ben, { path: { stream_id, message_id, user_id: ann.id }, words: [] })
  for (const said of [...heard, ...answers]) assert.doesNotMatch(said, /canary/)
})
