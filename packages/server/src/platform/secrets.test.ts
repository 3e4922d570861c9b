import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Vault } from './secrets.ts'

const vault = new Vault('a secret of this test, at least 32 characters')

test('a token has exactly one spelling', () => {
  for (const content of ['', 'a', 'ab', 'abc']) {
    const token = vault.sealToken('test', content)
    assert.equal(vault.openToken('test', token), content)
    for (const other of [`${token}x`, `${token}=`, `${token}.`, `${token} `, ` ${token}`, token.slice(0, -1), ''])
      assert.equal(vault.openToken('test', other), undefined, JSON.stringify(other))
  }
})

test('the unused bits at the end of a token must be zero', () => {
  const tokens = ['', 'a', 'ab'].map((content) => vault.sealToken('test', content))
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const token of tokens) {
    const accepted = [...alphabet].filter((last) => vault.openToken('test', token.slice(0, -1) + last) !== undefined)
    assert.deepEqual(accepted, [token.at(-1)])
  }
})

test('a token is valid for its purpose, on its server', () => {
  const token = vault.sealToken('file', 1)
  assert.equal(vault.openToken('email change', token), undefined)
  assert.equal(new Vault('another secret, of another server').openToken('file', token), undefined)
})
