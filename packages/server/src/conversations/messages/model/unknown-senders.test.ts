import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addReaction } from '@parley/api/conversations/reactions'
import { setTypingStatus } from '@parley/api/conversations/typing'
import { inChannel } from '../../../testing/channels.ts'
import { restrictGuests } from '../../../testing/configure-realm.ts'
import { newWorld } from '../../../testing/world.ts'

/** Ben is not subscribed to the channel. Gus, a guest, is subscribed and sees only users he shares a conversation with. */
async function setUp() {
  const world = await newWorld()
  const { ann, gus } = world
  const channel = await inChannel('verona', [ann, gus])
  await restrictGuests(world)
  const client_capabilities = { notification_settings_null: true, stream_typing_notifications: true }
  for (const one of [ann, gus]) await one.registers({ client_capabilities, client_gravatar: false })
  return { ...world, channel }
}

const unknown = 'Unknown user'

test('a message from a user hidden from a guest shows the guest neither name nor email of its sender', async () => {
  const { ann, ben, gus } = await setUp()
  await ben.sends({ channel: 'verona' })
  const [[known], [hidden]] = [await ann.receives('message'), await gus.receives('message')]
  assert.equal(known!.message.sender_full_name, 'Ben')
  const { sender_id, sender_full_name, sender_email, avatar_url } = hidden!.message
  assert.deepEqual([sender_id, sender_full_name], [ben.id, unknown])
  assert.match(sender_email, new RegExp(`^user${ben.id}@`))
  assert.notEqual(avatar_url, known!.message.avatar_url)
})

test('a message from a user the guest can see names its sender', async () => {
  const { ann, ben, gus } = await setUp()
  await ann.sends({ channel: 'verona' })
  await ben.sends({ to: [gus] })
  await ben.sends({ channel: 'verona' })
  const names = (await gus.receives('message')).map(({ message }) => message.sender_full_name)
  assert.deepEqual(names, ['Ann', 'Ben', 'Ben'])
})

test('a queue narrowed by sender matches a hidden user only by the email that the guest is shown', async () => {
  const { ben, gus } = await setUp()
  const narrowedBy = async (sender: string) => {
    await gus.registers({ narrow: [['sender', sender]] })
    await ben.sends({ channel: 'verona' })
    return (await gus.receives('message')).map(({ message }) => message.sender_email)
  }
  const fake = `user${ben.id}@${gus.credentials.host}`
  assert.deepEqual(await narrowedBy(ben.credentials.email), [])
  assert.deepEqual(await narrowedBy(fake), [fake])
})

test('reactions and typing of a hidden user show a guest only the user id', async () => {
  const { ann, ben, gus, channel } = await setUp()
  const message_id = await ann.sends({ channel: 'verona' })
  await ben.does(addReaction, { path: { message_id }, emoji_name: 'tada' })
  await ben.does(setTypingStatus, { type: 'channel', op: 'start', stream_id: channel, topic: 'x' })
  const email = `user${ben.id}@`
  const [reaction, ...others] = await gus.receives('reaction')
  assert.deepEqual([reaction!.user.full_name, others.length], [unknown, 0])
  assert.ok(reaction!.user.email.startsWith(email))
  assert.deepEqual(
    (await gus.receives('typing')).map(({ sender }) => sender.email.startsWith(email)),
    [true],
  )
  assert.deepEqual(
    (await ann.receives('reaction')).map(({ user }) => user.full_name),
    ['Ben'],
  )
  assert.deepEqual(
    (await ann.receives('typing')).map(({ sender }) => sender.email),
    [ben.credentials.email],
  )
})
