import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMessages } from '@parley/api/conversations/messages'
import { getUsers } from '@parley/api/people/users'
import { importingWorld } from '../../testing/importing/imported-world.ts'
import { channel, exportOf, post, team, user } from '../../testing/importing/mattermost-export.ts'
import { stringIdOf } from '../../testing/world-command.ts'

test('people of a trusted domain are those who have an account with their email; others get one of their own', async () => {
  const into = await importingWorld()
  const { world } = into
  const { ann, adam } = world
  const email = ann.credentials.email
  const archive = exportOf([
    team('dock', 'Dock'),
    channel('cranes', 'Cranes'),
    user('ann.there', { cranes: {} }, { email }),
    user('zoe', { cranes: {} }, { email: 'zoe@elsewhere.example' }),
    post('cranes', 'ann.there', 'from the past', 0),
  ])
  const { code, output } = await into.run(archive, '--into', await stringIdOf(world), '--match', email.split('@')[1]!)
  assert.equal(code, 0, output)
  const { members } = await adam.does(getUsers)
  assert.equal(members.filter((one) => one.delivery_email === email).length, 1)
  const { messages } = await ann.does(getMessages, {
    narrow: [{ operator: 'channel', operand: 'Cranes' }] as never,
    anchor: 'oldest',
    num_before: 0,
    num_after: 9,
  })
  assert.deepEqual(
    messages.map(({ sender_id }) => sender_id),
    [ann.id],
  )
})

test('without a trusted domain, nobody is matched: the account gets an email that nobody can have', async () => {
  const into = await importingWorld()
  const { world } = into
  const email = world.ann.credentials.email
  const archive = exportOf([
    team('dock', 'Dock'),
    channel('cranes', 'Cranes'),
    user('ann.there', { cranes: {} }, { email }),
  ])
  const { code, output } = await into.run(archive, '--into', await stringIdOf(world))
  assert.equal(code, 0, output)
  assert.match(output, /^changed: user ann\.there: the email .* was left out: another account has it$/m)
})
