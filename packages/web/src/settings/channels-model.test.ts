import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayAdminister, mayJoin, privacyChoices, privacyOf, privacyParams, searchChannels } from './channels-model.ts'

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

test('a private channel is joined only with a permission that lets one read it', () => {
  const nobody = { direct_members: [], direct_subgroups: [] }
  const reader = { direct_members: [7], direct_subgroups: [] }
  const groups = { can_subscribe_group: reader, can_add_subscribers_group: nobody }
  const channel = { invite_only: true, is_archived: false, is_web_public: false, ...groups }
  assert.equal(mayJoin(new Map(), { id: 7, role: 400 }, channel), true)
  assert.equal(mayJoin(new Map(), { id: 8, role: 100 }, channel), false)
  assert.equal(mayJoin(new Map(), { id: 8, role: 400 }, { ...channel, invite_only: false }), true)
  assert.equal(mayJoin(new Map(), { id: 8, role: 600 }, { ...channel, invite_only: false }), false)
})
