import * as api from '@parley/api/conversations/channel-pins'
import { transactIn } from '../../../context.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { accessChannel } from '../../channels/access.ts'
import { checkPosting } from '../../channels/posting-access.ts'
import { accessMessage, InvalidMessage } from '../model/access.ts'
import { createPin, deletePin } from './actions.ts'
import { readPins } from './queries.ts'

export function channelPinRoutes(app: App): void {
  serve(app, api.getChannelPins, async ({ ctx, user, path }) => ({
    pins: await readPins(ctx.db, user, await accessChannel(ctx.db, user, path.stream_id)),
  }))

  serve(app, api.createChannelPin, async ({ ctx, user, path, params }) => {
    const pin = checkPin(params)
    const channel = await accessChannel(ctx.db, user, path.stream_id)
    await checkPosting(ctx.db, user, channel)
    if (pin.message_id !== null) {
      const message = await accessMessage(ctx.db, user, pin.message_id)
      if (message.channel_id !== channel.id) throw new InvalidMessage()
    }
    return { id: await transactIn(ctx, user.realm_id, (tx) => createPin(tx, user, channel, pin)) }
  })

  serve(app, api.deleteChannelPin, async ({ ctx, user, path }) => {
    const channel = await accessChannel(ctx.db, user, path.stream_id)
    await checkPosting(ctx.db, user, channel)
    await transactIn(ctx, user.realm_id, (tx) => deletePin(tx, channel, path.pin_id))
    return {}
  })
}

interface Given {
  title: string
  message_id?: number
  url?: string
}

function checkPin({ title, message_id, url }: Given) {
  if ((message_id === undefined) === (url === undefined)) throw new ApiError('Pin either a message or a link.')
  if (title.trim() === '') throw new ApiError('Give the pin a title.')
  if (url !== undefined && !isWebUrl(url)) throw new ApiError('The link must begin with http:// or https://.')
  return { title: title.trim(), message_id: message_id ?? null, url: url ?? null }
}

function isWebUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
}
