import { type Static, Type } from 'typebox'
import { id, keyword, record, shortText, text } from '../common.ts'
import { profileValues } from '../identity/accounts.ts'
import { listLimits, textLimits } from '../limits.ts'
import { operation, withDefault } from '../operation.ts'

export const profileField = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: Type.Integer(),
  hint: Type.String(),
  field_data: Type.String(),
  order: Type.Integer(),
  required: Type.Boolean(),
  editable_by_user: Type.Boolean(),
  display_in_profile_summary: Type.Optional(Type.Literal(true)),
})
export type ProfileField = Static<typeof profileField>

const tag = 'Profile fields'
/** The options of a dropdown by key, or the site of an external account. */
const fieldData = record(
  Type.Union([text(textLimits.url), Type.Object({ text: text(textLimits.emoji), order: keyword })]),
  { keys: textLimits.keyword, maxProperties: listLimits.fieldChoices },
)
const pathParams = { field_id: id }

export const getProfileFields = operation({
  name: 'getProfileFields',
  method: 'GET',
  path: '/realm/profile_fields',
  access: 'user',
  tag,
  summary: 'List the custom profile fields, in order.',
  response: { custom_fields: Type.Array(profileField) },
})

export const createProfileField = operation({
  name: 'createProfileField',
  method: 'POST',
  path: '/realm/profile_fields',
  access: 'admin',
  tag,
  summary: 'Add a custom profile field.',
  params: {
    field_type: Type.Enum([1, 2, 3, 4, 5, 6, 7, 8]),
    name: withDefault(shortText, ''),
    hint: withDefault(shortText, ''),
    field_data: Type.Optional(fieldData),
    display_in_profile_summary: withDefault(Type.Boolean(), false),
    required: withDefault(Type.Boolean(), false),
    editable_by_user: withDefault(Type.Boolean(), true),
  },
  response: { id: Type.Integer() },
})

export const reorderProfileFields = operation({
  name: 'reorderProfileFields',
  method: 'PATCH',
  path: '/realm/profile_fields',
  access: 'admin',
  tag,
  summary: 'Reorder the custom profile fields.',
  params: { order: Type.Array(id, { maxItems: listLimits.usual }) },
})

export const updateProfileField = operation({
  name: 'updateProfileField',
  method: 'PATCH',
  path: '/realm/profile_fields/{field_id}',
  access: 'admin',
  tag,
  summary: 'Update a custom profile field.',
  pathParams,
  params: {
    name: Type.Optional(shortText),
    hint: Type.Optional(shortText),
    field_data: Type.Optional(fieldData),
    display_in_profile_summary: Type.Optional(Type.Boolean()),
    required: Type.Optional(Type.Boolean()),
    editable_by_user: Type.Optional(Type.Boolean()),
  },
})

export const deleteProfileField = operation({
  name: 'deleteProfileField',
  method: 'DELETE',
  path: '/realm/profile_fields/{field_id}',
  access: 'admin',
  tag,
  summary: 'Delete a custom profile field and its values in all profiles.',
  pathParams,
})

export const updateProfileData = operation({
  name: 'updateProfileData',
  method: 'PATCH',
  path: '/users/me/profile_data',
  access: 'human',
  tag,
  summary: 'Set profile field values of the caller.',
  params: {
    data: profileValues,
  },
})

export const removeProfileData = operation({
  name: 'removeProfileData',
  method: 'DELETE',
  path: '/users/me/profile_data',
  access: 'human',
  tag,
  summary: 'Clear profile field values of the caller.',
  params: { data: Type.Array(id, { maxItems: listLimits.usual }) },
})
