import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/roles'
import type { ShownMessage } from '@parley/client/messages/cache'
import { createStore } from '@parley/client/store/store'
import { mayDelete, mayMoveChannel, mayMoveTopic } from './messages.ts'

/** A viewer in a group that holds permissions, with and without the ones that may be given to everyone. */
function storeOf(role: number) {
  return createStore({
    user_id: 7,
    realm_users: [{ user_id: 7, role }],
    realm_user_groups: [{ id: 5, members: [7], direct_subgroup_ids: [] }],
    realm_can_delete_any_message_group: 5,
    realm_can_move_messages_between_channels_group: { direct_members: [7], direct_subgroups: [] },
    realm_can_move_messages_between_topics_group: 5,
  })
}

const message = { type: 'stream', sender_id: 8, timestamp: Date.now() / 1000 } as ShownMessage

test('a member of the group that holds a permission is offered what it allows', () => {
  const store = storeOf(roles.member)
  assert.ok(mayDelete(store, message))
  assert.ok(mayMoveChannel(store, message))
})

test('a guest in that group is offered only what may be given to everyone', () => {
  const store = storeOf(roles.guest)
  assert.ok(!mayDelete(store, message))
  assert.ok(!mayMoveChannel(store, message))
  assert.ok(mayMoveTopic(store, message))
})
