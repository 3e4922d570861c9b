import { Type } from 'typebox'
import { id } from '../common.ts'
import { operation } from '../operation.ts'

export const mutedUsers = Type.Array(Type.Object({ id: Type.Integer(), timestamp: Type.Integer() }))

export const muteUser = operation({
  name: 'muteUser',
  method: 'POST',
  path: '/users/me/muted_users/{muted_user_id}',
  access: 'user',
  tag: 'Users',
  summary: 'Mute a user: their past and future messages count as read.',
  pathParams: { muted_user_id: id },
})

export const unmuteUser = operation({
  name: 'unmuteUser',
  method: 'DELETE',
  path: '/users/me/muted_users/{muted_user_id}',
  access: 'user',
  tag: 'Users',
  summary: 'Unmute a user. Messages that were marked as read stay read.',
  pathParams: { muted_user_id: id },
})
