import * as api from '@parley/api/conversations/subscriptions'
import type { ParamsOf, ResponseOf } from '@parley/api/operation'
import { checkAccess, reloadCaller } from '../../../callers/authenticate.ts'
import type { Caller } from '../../../callers/caller.ts'
import { type Context, transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { accessUser } from '../../../people/users/queries.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { markReadOnUnsubscribe } from '../../flags/read-on-unsubscribe.ts'
import { renderDescription } from '../../messages/rendering/descriptions.ts'
import { sendChannelNotices } from '../../notices/channel-notices.ts'
import { updateHiddenPolicies } from '../../topics/policies.ts'
import { accessChannelMetadata, type Channel, isSubscribed } from '../access.ts'
import { addDefaultChannels, type NewChannel } from '../create.ts'
import { channelKey } from '../settings/channel-names.ts'
import { checkMayCreate, type SubscribeParams } from '../settings/permissions.ts'
import { type ChannelParams, channelParams, type Opened, openChannels, unseenChannels } from './open-channels.ts'
import { accessPrincipals } from './principals.ts'
import { subscribeUsers } from './subscribe.ts'
import type { Joined } from './subscribe-events.ts'
import { readCommonChannels, readSubscriptions } from './subscription-object.ts'
import { lockUnsubscribe, type Unsubscribed, unsubscribeUsers } from './unsubscribe.ts'
import { accessUnsubscribe } from './unsubscribe-access.ts'

/** How many subscriptions one transaction can write in reasonable time. Unsubscribing also marks messages as read. */
const maxAdded = 10_000
const maxRemoved = 1000

export function subscriptionRoutes(app: App): void {
  serve(app, api.subscribe, async ({ ctx, user, params }) => {
    const requested = channelParams(params.subscriptions)
    // Rendered before the transaction, to keep the time that locks are held short.
    const unseen = await renderUnseen(ctx, user, requested, params)
    return transactIn(ctx, user.realm_id, async (tx) =>
      subscribe(tx, ctx, await reloadCaller(tx.db, user), { params, requested, unseen }),
    )
  })

  serve(app, api.unsubscribe, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => unsubscribe(tx, await reloadCaller(tx.db, user), params)),
  )

  serve(app, api.updateSubscriptions, async ({ ctx, user, params }) => {
    const { add = [], delete: names = [] } = params
    if (add.length + names.length === 0) throw new ApiError('Nothing to do. Specify at least one of "add" or "delete".')
    if (add.length > 0) checkAccess('member', user)
    const requested = channelParams(add)
    const subscribeParams = { ...subscribeDefaults, subscriptions: add }
    const unseen = await renderUnseen(ctx, user, requested, subscribeParams)
    return transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await reloadCaller(tx.db, user)
      const left =
        names.length > 0 ? await unsubscribe(tx, actor, { subscriptions: names }) : { removed: [], not_removed: [] }
      return { ...(await subscribe(tx, ctx, actor, { params: subscribeParams, requested, unseen })), ...left }
    })
  })

  serve(app, api.getSubscriptions, async ({ ctx, user, params }) => ({
    subscriptions: await readSubscriptions(ctx.db, user, params.include_subscribers),
  }))

  serve(app, api.getSubscriptionStatus, async ({ ctx, user, path }) => {
    const target = await accessUser(ctx.db, user, path.user_id)
    const channel = await accessChannelMetadata(ctx.db, user, path.stream_id)
    return { is_subscribed: await isSubscribed(ctx.db, user, target.id, channel.id) }
  })

  serve(app, api.getCommonChannels, async ({ ctx, user, path }) => {
    const target = await accessUser(ctx.db, user, path.user_id)
    return { stream_ids: await readCommonChannels(ctx.db, user, target.id) }
  })
}

/** Defaults of a request to subscribe. */
const subscribeDefaults = {
  authorization_errors_fatal: true,
  announce: false,
  invite_only: false,
  is_web_public: false,
  is_default_stream: false,
  message_retention_days: 'realm_default',
} as const

interface SubscribeRequest {
  params: SubscribeParams
  requested: ChannelParams[]
  unseen: NewChannel[]
}

async function subscribe(
  tx: Tx,
  ctx: Context,
  user: Caller,
  { params, requested, unseen }: SubscribeRequest,
): Promise<ResponseOf<typeof api.subscribe>> {
  const users = await accessPrincipals(tx.db, user, params.principals)
  checkSize(users.length * requested.length, maxAdded)
  const isForOthers = users.some(({ id }) => id !== user.id)
  const opened = await openChannels(tx, user, { requested, unseen, params, isForOthers })
  const joined = await subscribeUsers(tx, user.realm, { users, ...opened, colors: colorsOf(requested, opened) })
  const added = joined.filter((one) => one.added.length > 0)
  if (added.length > 0)
    await updateHiddenPolicies(tx, {
      channelIds: added.map(({ channel }) => channel.id),
      userIds: [...new Set(added.flatMap((one) => one.added))],
    })
  await auditOthers(
    tx,
    user,
    'subscribers_added',
    joined.map(({ channel, added }) => ({ channel, users: added })),
  )
  if (params.is_default_stream && opened.created.length > 0) await addDefaultChannels(tx, idsOf(opened.created))
  const created = opened.created.map((channel) => ({
    ...channel,
    description: unseen.find(({ name }) => name === channel.name)!.description,
  }))
  await sendChannelNotices(tx, ctx, user.realm, {
    actor: user,
    created,
    joined,
    users,
    announce: params.announce,
  })
  return subscribeResponse(params, joined, opened)
}

async function unsubscribe(
  tx: Tx,
  user: Caller,
  params: ParamsOf<typeof api.unsubscribe>,
): Promise<ResponseOf<typeof api.unsubscribe>> {
  const users = await accessPrincipals(tx.db, user, params.principals)
  checkSize(users.length * params.subscriptions.length, maxRemoved)
  const channels = await accessUnsubscribe(tx.db, user, params.subscriptions, users)
  const left = await lockUnsubscribe(tx, { users, channels })
  for (const { channel, removed } of left) await markReadOnUnsubscribe(tx, channel, removed)
  await unsubscribeUsers(tx, user.realm, { users, channels }, left)
  for (const { channel, removed } of left)
    await updateHiddenPolicies(tx, { channelIds: [channel.id], userIds: removed })
  await auditOthers(
    tx,
    user,
    'subscribers_removed',
    left.map(({ channel, removed }) => ({ channel, users: removed })),
  )
  return unsubscribeResponse(channels, users.length, left)
}

/** Lists a channel once per user who was unsubscribed and once per user who was not subscribed. */
function unsubscribeResponse(
  channels: Channel[],
  userCount: number,
  left: Unsubscribed[],
): ResponseOf<typeof api.unsubscribe> {
  const counted = channels.map(({ id, name }) => {
    const gone = left.find(({ channel }) => channel.id === id)?.removed.length ?? 0
    return { name, gone }
  })
  const named = (name: string, times: number) => Array<string>(times).fill(name)
  return {
    removed: counted.flatMap(({ name, gone }) => named(name, gone)),
    not_removed: counted.flatMap(({ name, gone }) => named(name, userCount - gone)),
  }
}

/** Audits changes to other users' subscriptions, not to the caller's own. */
async function auditOthers(
  tx: Tx,
  user: Caller,
  action: string,
  changes: { channel: Channel; users: number[] }[],
): Promise<void> {
  const channels = changes
    .map(({ channel, users }) => ({ channel_id: channel.id, user_ids: users.filter((id) => id !== user.id) }))
    .filter(({ user_ids }) => user_ids.length > 0)
  if (channels.length > 0) await tx.audit(user.id, action, { channels })
}

function idsOf(rows: { id: number }[]): number[] {
  return rows.map(({ id }) => id)
}

function checkSize(subscriptions: number, max: number): void {
  if (subscriptions > max) throw new ApiError(`At most ${max} subscriptions can change at once.`)
}

async function renderUnseen(
  ctx: Context,
  user: Caller,
  requested: ChannelParams[],
  params: SubscribeParams,
): Promise<NewChannel[]> {
  const unseen = await unseenChannels(ctx.db, user, requested)
  if (unseen.length > 0) checkMayCreate(user, params)
  const rendered: NewChannel[] = []
  for (const { name, description } of unseen)
    rendered.push({ name, description, rendered_description: await renderDescription(ctx, user, description) })
  return rendered
}

function colorsOf(requested: ChannelParams[], { channels }: Opened): Map<number, string> {
  const colors = new Map(requested.flatMap(({ key, color }) => (color ? [[key, color] as const] : [])))
  return new Map(
    channels.flatMap(({ id, name }) => {
      const color = colors.get(channelKey(name))
      return color ? [[id, color] as const] : []
    }),
  )
}

function subscribeResponse(
  params: SubscribeParams,
  joined: Joined[],
  { unauthorized }: Opened,
): ResponseOf<typeof api.subscribe> {
  return {
    subscribed: namesByUser(joined, ({ added }) => added),
    already_subscribed: namesByUser(joined, ({ already }) => already),
    ...(!params.authorization_errors_fatal && { unauthorized }),
  }
}

function namesByUser(joined: Joined[], usersOf: (one: Joined) => number[]): Record<string, string[]> {
  const names: Record<string, string[]> = {}
  for (const one of joined) {
    for (const id of usersOf(one)) {
      names[id] ??= []
      names[id].push(one.channel.name)
    }
  }
  return names
}
