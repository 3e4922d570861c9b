import { getConversations } from '@parley/api/conversations/conversations'
import * as api from '@parley/api/conversations/topics'
import type { Caller } from '../../callers/caller.ts'
import { transactIn } from '../../context.ts'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { isZulipClient } from '../../http/serving/client-info.ts'
import { type App, serve, serveInTurn } from '../../http/serving/serve.ts'
import { checkStorageLimit } from '../../people/users/storage-limits.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessChannel, findVisibleChannel, InvalidChannelId } from '../channels/access.ts'
import type { Policy } from '../messages/model/topic-policy.ts'
import { hasKnownChannel } from './access.ts'
import { readConversations } from './conversations.ts'
import { setPolicy, type TopicPlace } from './policies.ts'

class AmbiguousChannel extends ApiError {
  constructor() {
    const parameters = 'stream_id, stream'
    super(`Unsupported parameter combination: ${parameters}`, 'BAD_REQUEST', { fields: { parameters } })
  }
}

export function topicRoutes(app: App): void {
  serveInTurn(app, getConversations, ({ ctx, user, params, request }) =>
    readConversations(ctx.db, user, params, { ...params, is_zulip_client: isZulipClient(request) }),
  )

  serve(app, api.setTopicPolicy, async ({ ctx, user, params: { stream_id, topic, visibility_policy } }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      await accessTopics(tx.db, user, stream_id, visibility_policy)
      await setOwnPolicy(tx, user, { channelId: stream_id, topic: topic.trim() }, visibility_policy)
    })
    return {}
  })

  serve(app, api.muteTopic, async ({ ctx, user, params: { stream, stream_id, topic, op } }) => {
    if (stream !== undefined && stream_id !== undefined) throw new AmbiguousChannel()
    if (stream === undefined && stream_id === undefined) throw new ApiError("Missing 'stream_id' argument")
    await transactIn(ctx, user.realm_id, async (tx) => {
      const policy = op === 'add' ? 1 : 0
      const channelId = stream_id ?? (await channelIdByName(tx.db, user, stream!))
      await accessTopics(tx.db, user, channelId, policy)
      await setOwnPolicy(tx, user, { channelId, topic: topic.trim() }, policy)
    })
    return {}
  })
}

/** The user is locked first: a new topic locks the counter, after which no row may be locked. */
async function setOwnPolicy(tx: Tx, { id }: Caller, place: TopicPlace, policy: Policy): Promise<void> {
  await lockRow(tx, 'users', id)
  await setPolicy(tx, [id], place, policy)
  if (policy !== 0) await checkStorageLimit(tx, id, 'user_topics')
}

async function channelIdByName(db: Db, caller: Caller, name: string): Promise<number> {
  const channel = await findVisibleChannel(db, caller, name)
  if (!channel) throw new InvalidChannelId()
  return channel.id
}

/** Users can remove a policy even if they can no longer read the channel. */
async function accessTopics(db: Db, caller: Caller, channelId: number, policy: Policy): Promise<void> {
  if (policy === 0 && (await hasKnownChannel(db, caller, channelId))) return
  await accessChannel(db, caller, channelId)
}
