import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProfileField } from '@parley/api/people/profile-fields'
import type { Store } from '@parley/client/store/store'
import { profileValue } from './profile-value.ts'

const store = {
  users: { byId: new Map([[5, { user_id: 5, full_name: 'Ann Lee' }]]) },
  settings: { realm_default_external_accounts: { github: { url_pattern: 'https://github.com/%(username)s' } } },
} as unknown as Store
const read = (type: number, field_data: object, value: string) =>
  profileValue(store, { type, field_data: JSON.stringify(field_data) } as ProfileField, value)

test('an account at another site is a link to it', () => {
  assert.deepEqual(read(7, { subtype: 'github' }, 'ann'), { text: 'ann', href: 'https://github.com/ann' })
  const url_pattern = 'https://x.example/%(username)s'
  assert.equal(read(7, { subtype: 'custom', url_pattern }, 'a$&b').href, 'https://x.example/a$&b')
  assert.equal(read(7, { subtype: 'discord' }, 'ann').href, undefined)
})

test('choices and people have their names, and only web addresses become links', () => {
  assert.equal(read(3, { 0: { text: 'Tea', order: '1' } }, '0').text, 'Tea')
  assert.equal(read(6, {}, '[5]').text, 'Ann Lee')
  assert.equal(read(5, {}, 'https://example.com').href, 'https://example.com')
  assert.equal(read(5, {}, 'javascript:alert(1)').href, undefined)
})
