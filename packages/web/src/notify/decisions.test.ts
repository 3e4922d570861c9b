import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@parley/client/store/store'
import { mentionedGroup } from './decisions.ts'

const store = {
  viewer: { id: 5 },
  groups: {
    byId: new Map([[7, { name: 'editors' }]]),
    holds: (group: number, user: number) => group === 7 && user === 5,
  },
} as unknown as Store

test('a mention of a group of the viewer is named, unless they are mentioned by name too', () => {
  const group = (id: number) => `<span class="user-group-mention" data-user-group-id="${id}">@x</span>`
  const user = (id: number) => `<span class="user-mention" data-user-id="${id}">@y</span>`
  assert.equal(mentionedGroup(store, `<p>${group(8)} ${user(6)} ${group(7)}</p>`), 'editors')
  assert.equal(mentionedGroup(store, `<p>${group(7)} ${user(5)}</p>`), undefined)
  assert.equal(mentionedGroup(store, `<p>${group(8)}</p>`), undefined)
})
