import { Type } from 'typebox'
import { operation } from '../operation.ts'

const megabyte = 1024 * 1024
export const maxAvatarMegabytes = 5
/** Maximum size of an avatar in bytes. */
export const avatarLimit = maxAvatarMegabytes * megabyte

const tag = 'Users'
const response = { avatar_url: Type.String() }

export const uploadAvatar = operation({
  name: 'uploadAvatar',
  method: 'POST',
  path: '/users/me/avatar',
  access: 'user',
  fileLimit: avatarLimit,
  tag,
  summary: "Upload the caller's avatar.",
  response,
  errors: ['BAD_IMAGE'],
})

export const deleteAvatar = operation({
  name: 'deleteAvatar',
  method: 'DELETE',
  path: '/users/me/avatar',
  access: 'user',
  tag,
  summary: "Delete the caller's avatar and show the default one again. Does nothing if there is none.",
  response,
})
