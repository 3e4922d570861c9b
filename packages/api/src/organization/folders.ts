import { type Static, Type } from 'typebox'
import { id, nullable, shortText, text } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { operation, withDefault } from '../operation.ts'

export const channelFolder = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  rendered_description: Type.String(),
  order: Type.Integer(),
  date_created: Type.Integer(),
  creator_id: nullable(Type.Integer()),
  is_archived: Type.Boolean(),
})
export type ChannelFolder = Static<typeof channelFolder>

const tag = 'Channels'
const description = text(textLimits.description)

export const getChannelFolders = operation({
  name: 'getChannelFolders',
  method: 'GET',
  path: '/channel_folders',
  access: 'user',
  tag,
  summary: 'List the channel folders, in order.',
  params: { include_archived: withDefault(Type.Boolean(), false) },
  response: { channel_folders: Type.Array(channelFolder) },
})

export const createChannelFolder = operation({
  name: 'createChannelFolder',
  method: 'POST',
  path: '/channel_folders/create',
  access: 'admin',
  tag,
  summary: 'Create a channel folder, after the existing ones.',
  params: { name: shortText, description: withDefault(description, '') },
  response: { channel_folder_id: Type.Integer() },
})

export const reorderChannelFolders = operation({
  name: 'reorderChannelFolders',
  method: 'PATCH',
  path: '/channel_folders',
  access: 'admin',
  tag,
  summary: 'Reorder the channel folders, including archived ones.',
  params: { order: Type.Array(id, { maxItems: listLimits.usual }) },
})

export const updateChannelFolder = operation({
  name: 'updateChannelFolder',
  method: 'PATCH',
  path: '/channel_folders/{channel_folder_id}',
  access: 'admin',
  tag,
  summary: 'Update the name or description of a channel folder, archive it if it is empty, or unarchive it.',
  pathParams: { channel_folder_id: id },
  params: {
    name: Type.Optional(shortText),
    description: Type.Optional(description),
    is_archived: Type.Optional(Type.Boolean()),
  },
})
