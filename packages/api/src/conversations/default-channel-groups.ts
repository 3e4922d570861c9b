import { type Static, Type } from 'typebox'
import { id } from '../common.ts'
import { nameLimits, storageLimits } from '../limits.ts'
import { operation } from '../operation.ts'

/** A named set of channels that people can choose when they join. */
export const defaultChannelGroup = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  streams: Type.Array(Type.Integer()),
})
export type DefaultChannelGroup = Static<typeof defaultChannelGroup>

const tag = 'Channels'
const pathParams = { group_id: id }
const groupName = Type.String({ maxLength: nameLimits.defaultGroup })
const description = Type.String({ maxLength: nameLimits.defaultGroupDescription })
const stream_names = Type.Array(Type.String({ maxLength: 60 }), {
  maxItems: storageLimits.channelsPerDefaultChannelGroup,
})

export const createDefaultChannelGroup = operation({
  name: 'createDefaultChannelGroup',
  method: 'POST',
  path: '/default_stream_groups/create',
  access: 'admin',
  tag,
  summary: 'Create a default channel group, which people can choose when they join.',
  params: { group_name: groupName, description, stream_names },
})

export const updateDefaultChannelGroup = operation({
  name: 'updateDefaultChannelGroup',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}',
  access: 'admin',
  tag,
  summary: 'Update the name or the description of a default channel group.',
  pathParams,
  params: { new_group_name: Type.Optional(groupName), new_description: Type.Optional(description) },
})

export const updateDefaultChannelGroupChannels = operation({
  name: 'updateDefaultChannelGroupChannels',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}/streams',
  access: 'admin',
  tag,
  summary: 'Add channels to a default channel group, or remove them from it.',
  pathParams,
  params: { op: Type.Enum(['add', 'remove']), stream_names },
})

export const deleteDefaultChannelGroup = operation({
  name: 'deleteDefaultChannelGroup',
  method: 'DELETE',
  path: '/default_stream_groups/{group_id}',
  access: 'admin',
  tag,
  summary: 'Delete a default channel group. Its channels and their subscribers stay.',
  pathParams,
})
