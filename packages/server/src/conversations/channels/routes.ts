import * as api from '@parley/api/conversations/channels'
import { type App, serve } from '../../http/serving/serve.ts'
import { isVisibleUser } from '../../people/users/visibility/visible-users.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { shownTopic } from '../messages/model/normalize-text.ts'
import { readTopics } from '../topics/list-topics.ts'
import { accessChannel, accessChannelMetadata, findVisibleChannel } from './access.ts'
import { listChannels } from './list-channels.ts'
import { readChannelObject, readSubscribers } from './queries.ts'

export function channelRoutes(app: App): void {
  const { db } = app.ctx

  serve(app, api.getChannels, async ({ user, params }) => ({ streams: await listChannels(db, user, params) }))

  serve(app, api.getChannel, async ({ user, path }) => {
    const { id } = await accessChannelMetadata(db, user, path.stream_id)
    return { stream: await readChannelObject(db, user.realm, id) }
  })

  serve(app, api.getChannelId, async ({ user, params }) => {
    const channel = await findVisibleChannel(db, user, params.stream)
    if (!channel || channel.is_archived) throw new ApiError(`Invalid channel name '${params.stream}'`)
    return { stream_id: channel.id }
  })

  serve(app, api.getChannelMembers, async ({ user, path }) => {
    const { id } = await accessChannelMetadata(db, user, path.stream_id)
    const subscribers = await readSubscribers(db, user.realm_id, [id], isVisibleUser(user))
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
