import * as api from '@parley/api/channels'
import { sql } from 'kysely'
import { shownTopic } from '../messages/text.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { type App, serve } from '../serve.ts'
import { inSightOf } from '../users/sight.ts'
import { accessChannel, accessChannelMetadata, findVisibleChannel } from './access.ts'
import { listChannels } from './listing.ts'
import { readChannels, readSubscribers } from './queries.ts'
import { readTopics } from './topics.ts'

export function channelRoutes(app: App): void {
  const { db } = app.ctx

  serve(app, api.getChannels, async ({ user, params }) => ({ streams: await listChannels(db, user, params) }))

  serve(app, api.getChannel, async ({ user, path }) => {
    const { id } = await accessChannelMetadata(db, user, path.stream_id)
    const [stream] = await readChannels(db, user.realm, sql`c.id = ${id}`)
    return { stream: stream! }
  })

  serve(app, api.getChannelId, async ({ user, params }) => {
    const channel = await findVisibleChannel(db, user, params.stream)
    if (!channel || channel.is_archived) throw new ApiError(`Invalid channel name '${params.stream}'`)
    return { stream_id: channel.id }
  })

  serve(app, api.getChannelMembers, async ({ user, path }) => {
    const { id } = await accessChannelMetadata(db, user, path.stream_id)
    const subscribers = await readSubscribers(db, user.realm_id, [id], inSightOf(user))
    return { subscribers: subscribers.get(id) ?? [] }
  })

  serve(app, api.getTopics, async ({ user, path, params }) => {
    const channel = await accessChannel(db, user, path.stream_id)
    const topics = await readTopics(db, user, channel)
    return {
      topics: topics.map(({ name, max_id }) => ({ name: shownTopic(name, params.allow_empty_topic_name), max_id })),
    }
  })
}
