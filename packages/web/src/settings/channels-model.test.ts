import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayAdminister, privacyChoices, privacyOf, privacyParams, searchChannels } from './channels-model.ts'

test('channels are found by name first, then by description', () => {
  const all = [
    { name: 'general', description: 'about design too' },
    { name: 'design', description: '' },
    { name: 'ops', description: '' },
  ]
  assert.deepEqual(
    searchChannels(all, 'Design').map(({ name }) => name),
    ['design', 'general'],
  )
})

test('each kind of privacy is read back as it was set', () => {
  for (const [privacy] of privacyChoices) {
    const { is_private, history_public_to_subscribers } = privacyParams(privacy)
    assert.equal(privacyOf({ invite_only: is_private, history_public_to_subscribers }), privacy)
  }
})

test('a member administers a channel only with its permission', () => {
  const value = { direct_members: [7], direct_subgroups: [] }
  assert.equal(mayAdminister(new Map(), { id: 7, role: 400 }, value), true)
  assert.equal(mayAdminister(new Map(), { id: 8, role: 400 }, value), false)
  assert.equal(mayAdminister(new Map(), { id: 8, role: 200 }, value), true)
})
