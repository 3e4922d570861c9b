import { Type } from 'typebox'
import { operation, withDefault } from '../operation.ts'

export const createBigBlueButtonCall = operation({
  name: 'createBigBlueButtonCall',
  method: 'GET',
  path: '/calls/bigbluebutton/create',
  access: 'user',
  scope: 'send',
  tag: 'Calls',
  summary: 'Create a video call on the BigBlueButton server that the operator has configured.',
  params: {
    meeting_name: Type.String({ maxLength: 200 }),
    voice_only: withDefault(Type.Boolean({ description: 'Cameras stay off for everyone but the creator.' }), false),
  },
  response: {
    url: Type.String({
      description: 'The path at which signed-in users of the organization join the call. The creator is its moderator.',
    }),
  },
})
