import * as api from '@parley/api/topics'
import { accessChannel, type Channel, findVisibleChannel, InvalidChannelId } from '../channels/access.ts'
import { transactIn } from '../context.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { type App, serve } from '../serve.ts'
import type { Caller } from '../users/caller.ts'
import { setPolicy } from './topic-policies.ts'

class BothNamed extends ApiError {
  constructor() {
    const parameters = 'stream_id, stream'
    super(`Unsupported parameter combination: ${parameters}`, 'BAD_REQUEST', { fields: { parameters } })
  }
}

export function topicRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.setTopicPolicy, async ({ user, params: { stream_id, topic, visibility_policy } }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const channelId = visibility_policy === 0 ? stream_id : (await accessChannel(tx.db, user, stream_id)).id
      if (visibility_policy === 0) await checkKnown(tx.db, user, stream_id)
      await setPolicy(tx, [user.id], { channelId, topic: topic.trim() }, visibility_policy)
    })
    return {}
  })

  serve(app, api.muteTopic, async ({ user, params: { stream, stream_id, topic, op } }) => {
    if (stream !== undefined && stream_id !== undefined) throw new BothNamed()
    if (stream === undefined && stream_id === undefined) throw new ApiError("Missing 'stream_id' argument")
    await transactIn(ctx, user.realm_id, async (tx) => {
      const channel = await namedChannel(tx.db, user, stream, stream_id)
      await setPolicy(tx, [user.id], { channelId: channel.id, topic: topic.trim() }, op === 'add' ? 1 : 0)
    })
    return {}
  })
}

async function namedChannel(db: Db, caller: Caller, name?: string, id?: number): Promise<Channel> {
  const channelId = id ?? (await findVisibleChannel(db, caller, name!))?.id
  if (channelId === undefined) throw new InvalidChannelId()
  return accessChannel(db, caller, channelId)
}

/** Whoever once was in a channel may take back what they decided about its topics. */
async function checkKnown(db: Db, caller: Caller, channelId: number): Promise<void> {
  const was = await db
    .selectFrom('subscriptions')
    .select('channel_id')
    .where('realm_id', '=', caller.realm_id)
    .where('user_id', '=', caller.id)
    .where('channel_id', '=', channelId)
    .executeTakeFirst()
  if (!was) await accessChannel(db, caller, channelId)
}
