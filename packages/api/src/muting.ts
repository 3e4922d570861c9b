import { Type } from 'typebox'
import { id } from './common.ts'
import { operation } from './operation.ts'

export const mutedUsers = Type.Array(Type.Object({ id: Type.Integer(), timestamp: Type.Integer() }))

export const muteUser = operation({
  name: 'muteUser',
  method: 'POST',
  path: '/users/me/muted_users/{muted_user_id}',
  access: 'user',
  tag: 'Users',
  summary: 'Mute somebody: whatever they have said and will say counts as read.',
  pathParams: { muted_user_id: id },
})

export const unmuteUser = operation({
  name: 'unmuteUser',
  method: 'DELETE',
  path: '/users/me/muted_users/{muted_user_id}',
  access: 'user',
  tag: 'Users',
  summary: 'No longer mute somebody. What counted as read stays read.',
  pathParams: { muted_user_id: id },
})
