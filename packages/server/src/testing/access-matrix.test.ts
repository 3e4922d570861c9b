import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { roles } from '@parley/api/common'
import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import type { Actor } from './actor.ts'
import { inChannel } from './channels.ts'
import { type Encoding, newFailedJob, requestFor } from './samples.ts'
import { newWorld, type World } from './world.ts'

/**
 * Who calls: nobody, somebody deactivated, the owner of another realm, guest, member, moderator, administrator, owner,
 * a bot, and a bot that may only send.
 */
const columns = ['AN', 'DE', 'XR', 'GU', 'ME', 'MO', 'AD', 'OW', 'BT', 'BW'] as const
type Column = (typeof columns)[number]

/**
 * What comes of it: ✓ done, 1 not signed in or not for such an account, U administrators only, B refused, X exactly
 * as if the object did not exist, Q no such queue, N not found, - not asked.
 */
type Outcome = '✓' | '1' | 'U' | 'B' | 'X' | 'Q' | 'N' | '-'

type Values = Record<string, unknown>

/** A request by each of the callers; `missing` makes the same about something that does not exist. */
interface Row {
  does: string
  operation: Operation
  about: (stage: Stage, actor: Actor) => Values | Promise<Values>
  missing?: Values
  outcomes: string
}

interface Stage {
  world: World
  actors: Record<Exclude<Column, 'AN'>, Actor>
  plaza: number
  piazza: number
  /** Messages that only Ann can read. */
  secret: { den: number; vault: number; direct: number }
  queueOfAnn: string
}

const nothing = 999_999_999
const everybodyHere = '1 1 - ✓ ✓ ✓ ✓ ✓ ✓ 1'
const everybodyWho = '1 1 X ✓ ✓ ✓ ✓ ✓ ✓ 1'
const administrators = '1 1 X U U U ✓ ✓ U 1'
const administratorsHere = '1 1 - U U U ✓ ✓ U 1'
const owners = '1 1 X U U U U ✓ U 1'
const nobody = '1 1 X X X X X X X 1'

/** What the caller has written in the plaza, or Ann if the caller cannot. */
async function ownMessage({ actors, world }: Stage, actor: Actor): Promise<{ path: { message_id: number } }> {
  const canWrite = actor !== actors.XR && actor !== actors.DE && actor !== actors.BW
  return { path: { message_id: await (canWrite ? actor : world.ann).sends({ channel: 'plaza', topic: fresh() }) } }
}

async function otherMessage({ world }: Stage): Promise<{ path: { message_id: number } }> {
  return { path: { message_id: await world.ann.sends({ channel: 'plaza', topic: fresh() }) } }
}

let made = 0
const fresh = () => `n${++made}`

const somebody = async ({ world }: Stage) => ({ path: { user_id: (await world.add(fresh())).id } })
const anOwner = async ({ world }: Stage) => ({ path: { user_id: (await world.add(fresh(), roles.owner)).id } })

const noMessage = { path: { message_id: nothing } }
const noUser = { path: { user_id: nothing } }
const noChannel = { path: { stream_id: nothing } }

const rows: Row[] = [
  { does: 'register', operation: operations.register, about: () => ({}), outcomes: everybodyHere },
  {
    does: "read another's queue",
    operation: operations.getEvents,
    about: ({ queueOfAnn }) => ({ queue_id: queueOfAnn, dont_block: true }),
    outcomes: '1 1 Q Q Q Q Q Q Q 1',
  },
  {
    does: "delete another's queue",
    operation: operations.deleteQueue,
    about: ({ queueOfAnn }) => ({ queue_id: queueOfAnn }),
    outcomes: '1 1 Q Q Q Q Q Q Q 1',
  },
  {
    does: 'edit own text',
    operation: operations.editMessage,
    about: async (stage, actor) => ({ ...(await ownMessage(stage, actor)), content: 'better' }),
    missing: { ...noMessage, content: 'better' },
    outcomes: everybodyWho,
  },
  {
    does: "edit another's text",
    operation: operations.editMessage,
    about: async (stage) => ({ ...(await otherMessage(stage)), content: 'mine' }),
    missing: { ...noMessage, content: 'mine' },
    outcomes: '1 1 X B B B B B B 1',
  },
  {
    does: 'move to another topic',
    operation: operations.editMessage,
    about: async (stage) => ({ ...(await otherMessage(stage)), topic: fresh() }),
    missing: { ...noMessage, topic: 'x' },
    outcomes: everybodyWho,
  },
  {
    does: 'move to another channel',
    operation: operations.editMessage,
    about: async (stage) => ({ ...(await otherMessage(stage)), stream_id: stage.piazza }),
    missing: { ...noMessage, stream_id: nothing },
    outcomes: '1 1 X B ✓ ✓ ✓ ✓ ✓ 1',
  },
  {
    does: 'type to somebody',
    operation: operations.setTypingStatus,
    about: ({ world }) => ({ op: 'start', to: [world.ann.id] }),
    missing: { op: 'start', to: [nothing] },
    outcomes: everybodyWho,
  },
  {
    does: 'type in a channel',
    operation: operations.setTypingStatus,
    about: ({ plaza }) => ({ op: 'start', type: 'stream', stream_id: plaza, topic: 'x' }),
    missing: { op: 'start', type: 'stream', stream_id: nothing, topic: 'x' },
    outcomes: everybodyWho,
  },
  {
    does: 'delete a topic',
    operation: operations.deleteTopic,
    about: ({ plaza }) => ({ path: { stream_id: plaza }, topic_name: 'nothing here' }),
    missing: { ...noChannel, topic_name: 'nothing here' },
    outcomes: administrators,
  },
  {
    does: 'rename a user',
    operation: operations.updateUser,
    about: async (stage) => ({ ...(await somebody(stage)), full_name: fresh() }),
    missing: { ...noUser, full_name: 'x' },
    outcomes: administrators,
  },
  {
    does: 'make a moderator',
    operation: operations.updateUser,
    about: async (stage) => ({ ...(await somebody(stage)), role: roles.moderator }),
    missing: { ...noUser, role: roles.moderator },
    outcomes: administrators,
  },
  {
    does: 'make an owner',
    operation: operations.updateUser,
    about: async (stage) => ({ ...(await somebody(stage)), role: roles.owner }),
    missing: { ...noUser, role: roles.owner },
    outcomes: owners,
  },
  {
    does: 'deactivate a member',
    operation: operations.deactivateUser,
    about: somebody,
    missing: noUser,
    outcomes: administrators,
  },
  {
    does: 'deactivate an owner',
    operation: operations.deactivateUser,
    about: anOwner,
    missing: noUser,
    outcomes: owners,
  },
  {
    does: "revoke a member's keys",
    operation: operations.revokeUserKeys,
    about: somebody,
    missing: noUser,
    outcomes: administrators,
  },
  {
    does: "revoke an owner's keys",
    operation: operations.revokeUserKeys,
    about: anOwner,
    missing: noUser,
    outcomes: owners,
  },
  {
    does: 'give a new address without the grant',
    operation: operations.updateUser,
    about: async (stage) => ({ ...(await somebody(stage)), new_email: `${fresh()}@example.com` }),
    missing: { ...noUser, new_email: 'x@example.com' },
    outcomes: '1 1 X U U U B B U 1',
  },
  {
    does: 'create a user without the grant',
    operation: operations.createUser,
    about: () => ({ email: `${fresh()}@example.com`, password: 'correct horse battery', full_name: 'New' }),
    outcomes: '1 1 - U U U B B U 1',
  },
  {
    does: 'look at a user',
    operation: operations.getUser,
    about: ({ world }) => ({ path: { user_id: world.ann.id } }),
    missing: noUser,
    outcomes: everybodyWho,
  },
  {
    does: 'mute a user',
    operation: operations.muteUser,
    about: ({ world }) => ({ path: { muted_user_id: world.ann.id } }),
    missing: { path: { muted_user_id: nothing } },
    outcomes: everybodyWho,
  },
  {
    does: 'save a snippet',
    operation: operations.createSavedSnippet,
    about: () => ({ title: 'a', content: 'b' }),
    outcomes: everybodyHere,
  },
  { does: 'render', operation: operations.renderMessage, about: () => ({ content: 'x' }), outcomes: everybodyHere },
  {
    does: 'create a group',
    operation: operations.createUserGroup,
    about: () => ({ name: fresh(), description: '', members: [] }),
    outcomes: '1 1 - B ✓ ✓ ✓ ✓ ✓ 1',
  },
  { does: 'list groups', operation: operations.getUserGroups, about: () => ({}), outcomes: everybodyHere },
  {
    does: 'react',
    operation: operations.addReaction,
    about: async (stage) => ({ ...(await otherMessage(stage)), emoji_name: 'tada' }),
    missing: { ...noMessage, emoji_name: 'tada' },
    outcomes: everybodyWho,
  },
  {
    does: "remove another's push token",
    operation: operations.removeFcmToken,
    about: () => ({ token: 'a-token-of-ann' }),
    outcomes: '1 1 B B B B B B B 1',
  },
  {
    does: 'add a default channel',
    operation: operations.addDefaultChannel,
    about: ({ plaza }) => ({ stream_id: plaza }),
    missing: { stream_id: nothing },
    outcomes: administrators,
  },
  { does: 'list failed jobs', operation: operations.getFailedJobs, about: () => ({}), outcomes: administratorsHere },
  {
    does: 'retry a failed job',
    operation: operations.retryFailedJob,
    about: async ({ world }) => ({ path: { job_id: await newFailedJob(world) } }),
    missing: { path: { job_id: nothing } },
    outcomes: administrators,
  },
  {
    does: 'remove a failed job',
    operation: operations.removeFailedJob,
    about: async ({ world }) => ({ path: { job_id: await newFailedJob(world) } }),
    missing: { path: { job_id: nothing } },
    outcomes: administrators,
  },
  {
    does: 'make a folder for channels',
    operation: operations.createChannelFolder,
    about: () => ({ name: fresh() }),
    outcomes: administratorsHere,
  },
  {
    does: 'describe a folder',
    operation: operations.updateChannelFolder,
    about: async ({ world }) => {
      const { channel_folder_id } = await world.olga.does(operations.createChannelFolder, { name: fresh() })
      return { path: { channel_folder_id }, description: fresh() }
    },
    missing: { path: { channel_folder_id: nothing }, description: 'x' },
    outcomes: administrators,
  },
  {
    does: 'order the profile fields',
    operation: operations.reorderProfileFields,
    about: async ({ world }) => ({
      order: (await world.ann.does(operations.getProfileFields)).custom_fields.map(({ id }) => id),
    }),
    outcomes: administratorsHere,
  },
  {
    does: 'make a profile field',
    operation: operations.createProfileField,
    about: () => ({ field_type: 1, name: fresh() }),
    outcomes: administratorsHere,
  },
  {
    does: 'delete a profile field',
    operation: operations.deleteProfileField,
    about: async ({ world }) => {
      const { id } = await world.olga.does(operations.createProfileField, { field_type: 1, name: fresh() })
      return { path: { field_id: id } }
    },
    outcomes: '1 1 B U U U ✓ ✓ U 1',
  },
  {
    does: 'deactivate an emoji that is none',
    operation: operations.deactivateEmoji,
    about: () => ({ path: { emoji_name: 'none' } }),
    outcomes: '1 1 N N N N N N N 1',
  },
  {
    does: 'fetch a key on a production server',
    operation: operations.devFetchApiKey,
    about: ({ world }) => ({ username: world.ann.credentials.email }),
    outcomes: 'B B B B B B B B B B',
  },
  {
    does: 'send',
    operation: operations.sendMessage,
    about: ({ plaza }) => ({ type: 'stream', to: plaza, topic: 'x', content: 'x' }),
    outcomes: '1 1 B ✓ ✓ ✓ ✓ ✓ ✓ ✓',
  },
  { does: 'read', operation: operations.getMessage, about: otherMessage, missing: noMessage, outcomes: everybodyWho },
  {
    does: 'see the history of a message',
    operation: operations.getMessageHistory,
    about: otherMessage,
    missing: noMessage,
    outcomes: everybodyWho,
  },
  {
    does: 'delete an own message',
    operation: operations.deleteMessage,
    about: ownMessage,
    missing: noMessage,
    outcomes: everybodyWho,
  },
  {
    does: "delete another's message",
    operation: operations.deleteMessage,
    about: otherMessage,
    missing: noMessage,
    outcomes: '1 1 X B B B ✓ ✓ B 1',
  },
  { does: 'remove the own picture', operation: operations.deleteAvatar, about: () => ({}), outcomes: everybodyHere },
  {
    does: 'make a bot',
    operation: operations.createBot,
    about: () => ({ full_name: fresh(), short_name: fresh() }),
    outcomes: '1 1 - B ✓ ✓ ✓ ✓ B 1',
  },
  {
    does: 'change a setting of the organization',
    operation: operations.updateRealm,
    about: () => ({ mandatory_topics: false }),
    outcomes: administratorsHere,
  },
  ...secrets('den', 'private channel'),
  ...secrets('vault', 'channel with protected history that one joined later'),
  ...secrets('direct', 'conversation of others'),
]

/** Nobody reads, edits or reacts to what is said where they are not, whatever their role. */
function secrets(where: keyof Stage['secret'], name: string): Row[] {
  const about = ({ secret }: Stage) => ({ path: { message_id: secret[where] } })
  const row = (does: string, operation: Operation, more: Values = {}): Row => ({
    does: `${does} in a ${name}`,
    operation,
    about: (stage) => ({ ...about(stage), ...more }),
    missing: { ...noMessage, ...more },
    outcomes: nobody,
  })
  return [
    row('read', operations.getMessage),
    row('see the history', operations.getMessageHistory),
    row('react', operations.addReaction, { emoji_name: 'tada' }),
    row('edit', operations.editMessage, { content: 'mine' }),
    row('move', operations.editMessage, { topic: 'mine' }),
    row('delete', operations.deleteMessage),
    row('see read receipts', operations.getReadReceipts),
  ]
}

let stage: Stage

before(async () => {
  const world = await newWorld()
  const elsewhere = await newWorld()
  const { ann, ben, mona, adam, olga, gus, add } = world
  const owned = { bot_owner_id: ann.id }
  const bot = await add('robo', roles.member, { bot_type: 1, ...owned })
  const hook = await add('hook', roles.member, { bot_type: 2, ...owned })
  const gone = await add('gone')
  const here = [ann, ben, mona, adam, olga, gus, bot]
  const plaza = await inChannel('plaza', here)
  const piazza = await inChannel('piazza', here)
  await inChannel('den', [ann], { invite_only: true, history_public_to_subscribers: true })
  await inChannel('vault', [ann], { invite_only: true })
  const secret = {
    den: await ann.sends({ channel: 'den' }),
    vault: await ann.sends({ channel: 'vault' }),
    direct: await ann.sends({ to: [hook] }),
  }
  const principals = [ben, mona, adam, olga, gus, bot].map(({ id }) => id)
  await ann.does(operations.subscribe, { subscriptions: [{ name: 'vault' }], principals })
  await ann.does(operations.addFcmToken, { token: 'a-token-of-ann' })
  await olga.does(operations.deactivateUser, { path: { user_id: gone.id } })
  const actors = { DE: gone, XR: elsewhere.olga, GU: gus, ME: ben, MO: mona, AD: adam, OW: olga, BT: bot, BW: hook }
  const { queue_id } = await ann.does(operations.register, {})
  stage = { world, actors, plaza, piazza, secret, queueOfAnn: queue_id }
})

interface Answer {
  status: number
  body: Values
}

async function asks(column: Column, operation: Operation, wishes: Values): Promise<Answer> {
  const { path = {}, ...params } = wishes
  if (column !== 'AN') return (await stage.actors[column].request(operation, wishes)) as Answer
  const encoding: Encoding = operation.method === 'GET' ? 'query' : 'form'
  const request = requestFor({ operation, by: stage.world.ann, path: path as Values, params }, encoding)
  const { app, host } = stage.world
  const response = await app.inject({ ...request, headers: { ...request.headers, host } } as never)
  return { status: response.statusCode, body: response.json() }
}

function outcomeOf({ status, body }: Answer): Outcome {
  if (status === 200) return '✓'
  if (status === 401) return '1'
  if (status === 404) return 'N'
  assert.equal(status, 400, JSON.stringify(body))
  if (body.code === 'UNAUTHORIZED_PRINCIPAL') return 'U'
  return body.code === 'BAD_EVENT_QUEUE_ID' ? 'Q' : 'B'
}

for (const { does, operation, about, missing, outcomes } of rows)
  test(`who may ${does}: ${outcomes}`, async () => {
    const expected = outcomes.split(' ') as Outcome[]
    const found: Outcome[] = []
    for (const [index, column] of columns.entries()) {
      if (expected[index] === '-') {
        found.push('-')
        continue
      }
      const actor = column === 'AN' ? stage.world.ben : stage.actors[column]
      const answer = await asks(column, operation, await about(stage, actor))
      const isAsMissing = expected[index] === 'X' && missing !== undefined
      if (isAsMissing) assert.equal(essence(answer), essence(await asks(column, operation, missing)), column)
      found.push(isAsMissing && answer.status !== 200 ? 'X' : outcomeOf(answer))
    }
    assert.equal(found.join(' '), outcomes)
  })

/** What can be told from an answer; that it repeats the number it was asked about tells nothing. */
function essence({ status, body }: Answer): string {
  return JSON.stringify([status, body]).replace(/\d{1,15}/g, '#')
}
