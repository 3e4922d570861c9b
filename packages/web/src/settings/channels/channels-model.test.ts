import '../../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privacyChoices, privacyOf, privacyParams, searchChannels } from './channels-model.ts'

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
    const { is_private, ...params } = privacyParams(privacy)
    assert.equal(privacyOf({ invite_only: is_private, ...params }), privacy)
  }
})
