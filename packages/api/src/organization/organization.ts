import { Type } from 'typebox'
import { nullable } from '../common.ts'
import { operation, withDefault } from '../operation.ts'
import { avatarLimit } from '../people/avatars.ts'

const tag = 'Organization'
const image = { access: 'admin', tag, errors: ['BAD_IMAGE'] as 'BAD_IMAGE'[] } as const
const night = withDefault(Type.Boolean({ description: 'The logo for the dark theme.' }), false)
const icon = { icon_url: Type.String() }

export const uploadRealmIcon = operation({
  ...image,
  name: 'uploadRealmIcon',
  method: 'POST',
  path: '/realm/icon',
  fileLimit: avatarLimit,
  summary: 'Upload the icon of the organization. It is scaled to a square.',
  response: icon,
})

export const deleteRealmIcon = operation({
  ...image,
  name: 'deleteRealmIcon',
  method: 'DELETE',
  path: '/realm/icon',
  summary: 'Delete the icon of the organization and show the default one again.',
  response: icon,
})

export const uploadRealmLogo = operation({
  ...image,
  name: 'uploadRealmLogo',
  method: 'POST',
  path: '/realm/logo',
  fileLimit: avatarLimit,
  summary: 'Upload the logo of the organization. It is scaled to at most 800 × 100 pixels.',
  params: { night },
})

export const deleteRealmLogo = operation({
  ...image,
  name: 'deleteRealmLogo',
  method: 'DELETE',
  path: '/realm/logo',
  summary: 'Delete the logo of the organization and show the default one again.',
  params: { night },
})

export const deactivateRealm = operation({
  name: 'deactivateRealm',
  method: 'POST',
  path: '/realm/deactivate',
  access: 'owner',
  tag,
  summary:
    'Deactivate the organization: nobody can use it any more. Nothing is deleted. The owners get an email with a link to reactivate it; the server operator can do that too.',
  params: {
    deletion_delay_days: Type.Optional(
      nullable(
        Type.Integer({ minimum: 0, description: 'Must be null: Parley does not delete organizations automatically.' }),
      ),
    ),
  },
})
