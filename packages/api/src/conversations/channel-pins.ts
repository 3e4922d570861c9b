import { type Static, Type } from 'typebox'
import { id, nullable } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation } from '../operation.ts'

export const channelPin = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  message_id: nullable(Type.Integer({ description: 'Of a pinned message.' })),
  url: nullable(Type.String({ description: 'Of a link.' })),
  user_id: Type.Integer({ description: 'Who pinned it.' }),
  timestamp: Type.Integer(),
})
export type ChannelPinObject = Static<typeof channelPin>

const tag = 'Channels'
const pathParams = { stream_id: id }

export const getChannelPins = operation({
  name: 'getChannelPins',
  method: 'GET',
  path: '/streams/{stream_id}/pins',
  access: 'user',
  tag,
  summary: 'List the messages and links that are pinned to a channel, without messages that the caller may not read.',
  pathParams,
  response: { pins: Type.Array(channelPin) },
})

export const createChannelPin = operation({
  name: 'createChannelPin',
  method: 'POST',
  path: '/streams/{stream_id}/pins',
  access: 'user',
  tag,
  summary: 'Pin a message of the channel, or a link. Allowed to users who may post there.',
  pathParams,
  params: {
    message_id: Type.Optional(Type.Integer({ minimum: 1, description: 'Either this or `url`.' })),
    url: Type.Optional(Type.String({ maxLength: textLimits.url, description: 'With `http` or `https`.' })),
    title: Type.String({ maxLength: textLimits.pinTitle }),
  },
  response: { id: Type.Integer() },
})

export const deleteChannelPin = operation({
  name: 'deleteChannelPin',
  method: 'DELETE',
  path: '/streams/{stream_id}/pins/{pin_id}',
  access: 'user',
  tag,
  summary: 'Unpin a message or link. Allowed to users who may post in the channel.',
  pathParams: { stream_id: id, pin_id: id },
})
