import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCheap } from '../../../testing/load/cpu-time.ts'
import { comparableDn } from './ldap-groups.ts'

test('distinguished names are the same whatever their spaces and letters', () => {
  assert.equal(comparableDn('CN = Ann Lee , ou=People,  dc=acme'), comparableDn('cn=ann lee,ou=people,dc=acme'))
  assert.notEqual(comparableDn('cn=ann lee,dc=acme'), comparableDn('cn=annlee,dc=acme'))
})

test('a distinguished name full of spaces costs no more than another', () =>
  assertCheap(
    () => comparableDn(`cn=a${' '.repeat(200_000)}b`),
    () => comparableDn('cn=a,dc=b'),
  ))
