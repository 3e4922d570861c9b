import assert from 'node:assert/strict'
import { test } from 'node:test'
import { narrows } from '@parley/client/messages/narrow'
import type { Store } from '@parley/client/store/store'
import { canonicalHash, decodeHash, encodeHash, narrowHash, parseNarrow } from '../src/session/links.ts'

const channels = {
  subscribed: new Map([[7, { stream_id: 7, name: 'big design' }]]),
  neverSubscribed: new Map(),
  left: new Map(),
}
const store = { channels } as unknown as Store

test('any text survives in a link', () => {
  for (const text of ['a.b', '50% (really)', 'Ünïcode ✔', 'a/b#c', '.2E', '<script>'])
    assert.equal(decodeHash(encodeHash(text)), text)
  assert.equal(decodeHash('.FF.zz'), '.FF.zz')
})

test('a narrow survives in a link', () => {
  for (const narrow of [narrows.topic(7, 'what? / now.'), narrows.direct([3, 5]), narrows.is('starred')])
    assert.deepEqual(parseNarrow(narrowHash(narrow, store, 12)), { narrow, near: 12 })
  assert.equal(narrowHash(narrows.channel(7), store), '#narrow/channel/7-big-design')
})

test('links of other clients work, with the older words', () => {
  assert.deepEqual(parseNarrow('#narrow/stream/7-design/subject/a.20b/near/4'), {
    narrow: narrows.topic(7, 'a b'),
    near: 4,
  })
  assert.deepEqual(parseNarrow('#narrow/pm-with/3,5-group')!.narrow, narrows.direct([3, 5]))
  assert.deepEqual(parseNarrow('#narrow/-is/resolved')!.narrow, [
    { operator: 'is', operand: 'resolved', negated: true },
  ])
  assert.deepEqual(parseNarrow('#narrow/sender/3-Olivia')!.narrow, [{ operator: 'sender', operand: 3 }])
  assert.equal(parseNarrow('#settings'), undefined)
})

test('links with names of channels, and with the viewer, become links of this client', () => {
  const become = (hash: string) => canonicalHash(hash, store, 5)
  assert.equal(become('#narrow/stream/big.20design/topic/a/near/4'), '#narrow/channel/7-big-design/topic/a/near/4')
  assert.equal(become('#narrow/dm/3,5-group'), '#narrow/dm/3-dm')
  assert.equal(become('#streams/7/big-design'), '#channels/7/big-design')
  assert.equal(become('#user/3'), '#narrow/dm/3-dm')
  assert.equal(become('#all_messages'), '#feed')
  assert.equal(become('#settings/'), '#settings')
  for (const hash of ['#narrow/stream/7-x', '#narrow/stream/unknown', '#narrow/dm/5-dm', '#inbox'])
    assert.equal(become(hash), hash)
})
