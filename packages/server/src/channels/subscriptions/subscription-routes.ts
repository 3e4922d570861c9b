import type { ParamsOf, ResponseOf } from '@parley/api/operation'
import * as api from '@parley/api/subscriptions'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { markReadOnUnsubscribe } from '../../flags/read-on-unsubscribe.ts'
import { type App, serve } from '../../http/serve.ts'
import { resolveReferences } from '../../messages/rendering/references.ts'
import { sendChannelNotices } from '../../notices/channel-notices.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { removeUnreadablePolicies } from '../../topics/policies.ts'
import { checkAccess, reloadCaller } from '../../users/authenticate.ts'
import type { Caller } from '../../users/caller.ts'
import { accessUser } from '../../users/queries.ts'
import { accessChannelMetadata, type Channel, isSubscribed } from '../access.ts'
import { addDefaultChannels, type NewChannel } from '../create.ts'
import { channelKey } from '../settings/naming.ts'
import type { SubscribeParams } from '../settings/permissions.ts'
import { type ChannelParams, channelParams, type Opened, openChannels, unseenChannels } from './open-channels.ts'
import { accessPrincipals } from './principals.ts'
import { subscribeUsers } from './subscribe.ts'
import type { Joined } from './subscribe-events.ts'
import { readSubscriptions } from './subscription-object.ts'
import { type Left, lockUnsubscribe, unsubscribeUsers } from './unsubscribe.ts'
import { accessUnsubscribe } from './unsubscribe-access.ts'

/** As many subscriptions as one transaction can write in good time; whoever leaves also has everything marked as read. */
const mostAddedAtOnce = 10_000
const mostRemovedAtOnce = 1000

export function subscriptionRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.subscribe, async ({ user, params }) => {
    const wanted = channelParams(params.subscriptions)
    // Rendered before the transaction, which then holds its locks no longer than it must.
    const unseen = await renderUnseen(ctx, user, wanted)
    return transactIn(ctx, user.realm_id, async (tx) =>
      join(tx, ctx, await reloadCaller(tx.db, user), { params, wanted, unseen }),
    )
  })

  serve(app, api.unsubscribe, ({ user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => leave(tx, await reloadCaller(tx.db, user), params)),
  )

  serve(app, api.updateSubscriptions, async ({ user, params }) => {
    const { add = [], delete: names = [] } = params
    if (add.length + names.length === 0) throw new ApiError('Nothing to do. Specify at least one of "add" or "delete".')
    if (add.length > 0) checkAccess('member', user)
    const wanted = channelParams(add)
    const unseen = await renderUnseen(ctx, user, wanted)
    return transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await reloadCaller(tx.db, user)
      const left =
        names.length > 0 ? await leave(tx, actor, { subscriptions: names }) : { removed: [], not_removed: [] }
      const asked = { ...usualWishes, subscriptions: add }
      return { ...(await join(tx, ctx, actor, { params: asked, wanted, unseen })), ...left }
    })
  })

  serve(app, api.getSubscriptions, async ({ user, params }) => ({
    subscriptions: await readSubscriptions(ctx.db, user, params.include_subscribers),
  }))

  serve(app, api.getSubscriptionStatus, async ({ user, path }) => {
    const person = await accessUser(ctx.db, user, path.user_id)
    const channel = await accessChannelMetadata(ctx.db, user, path.stream_id)
    return { is_subscribed: await isSubscribed(ctx.db, user, person.id, channel.id) }
  })
}

/** What a request to subscribe asks for if it says nothing. */
const usualWishes = {
  authorization_errors_fatal: true,
  announce: false,
  invite_only: false,
  is_web_public: false,
  is_default_stream: false,
  message_retention_days: 'realm_default',
} as const

interface JoinRequest {
  params: SubscribeParams
  wanted: ChannelParams[]
  unseen: NewChannel[]
}

async function join(
  tx: Tx,
  ctx: Context,
  user: Caller,
  { params, wanted, unseen }: JoinRequest,
): Promise<ResponseOf<typeof api.subscribe>> {
  const people = await accessPrincipals(tx.db, user, params.principals)
  checkSize(people.length * wanted.length, mostAddedAtOnce)
  const isForOthers = people.some(({ id }) => id !== user.id)
  const opened = await openChannels(tx, user, { wanted, unseen, params, isForOthers })
  const joined = await subscribeUsers(tx, user.realm, { people, ...opened, colors: colorsOf(wanted, opened) })
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
  await sendChannelNotices(tx, ctx, user.realm, { actor: user, created, joined, people, announce: params.announce })
  return subscribeAnswer(params, joined, opened)
}

async function leave(
  tx: Tx,
  user: Caller,
  params: ParamsOf<typeof api.unsubscribe>,
): Promise<ResponseOf<typeof api.unsubscribe>> {
  const people = await accessPrincipals(tx.db, user, params.principals)
  checkSize(people.length * params.subscriptions.length, mostRemovedAtOnce)
  const channels = await accessUnsubscribe(tx.db, user, params.subscriptions, people)
  const left = await lockUnsubscribe(tx, { people, channels })
  for (const { channel, removed } of left) await markReadOnUnsubscribe(tx, channel, removed)
  await unsubscribeUsers(tx, user.realm, { people, channels }, left)
  for (const { channel, removed } of left)
    await removeUnreadablePolicies(tx, { channelId: channel.id, userIds: removed })
  await auditOthers(
    tx,
    user,
    'subscribers_removed',
    left.map(({ channel, removed }) => ({ channel, users: removed })),
  )
  return unsubscribeAnswer(channels, people.length, left)
}

/** A channel is named once for everybody who left it, and once for everybody who was not in it. */
function unsubscribeAnswer(channels: Channel[], people: number, left: Left[]): ResponseOf<typeof api.unsubscribe> {
  const counted = channels.map(({ id, name }) => {
    const gone = left.find(({ channel }) => channel.id === id)?.removed.length ?? 0
    return { name, gone }
  })
  const named = (name: string, times: number) => Array<string>(times).fill(name)
  return {
    removed: counted.flatMap(({ name, gone }) => named(name, gone)),
    not_removed: counted.flatMap(({ name, gone }) => named(name, people - gone)),
  }
}

/** What somebody does to others' subscriptions is written down; what they do to their own is not. */
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

function checkSize(subscriptions: number, most: number): void {
  if (subscriptions > most) throw new ApiError(`At most ${most} subscriptions can change at once.`)
}

async function renderUnseen(ctx: Context, user: Caller, wanted: ChannelParams[]): Promise<NewChannel[]> {
  const unseen = await unseenChannels(ctx.db, user, wanted)
  const rendered: NewChannel[] = []
  for (const { name, description } of unseen) {
    const references = await resolveReferences(ctx.db, user, description)
    const { html } = await ctx.renderer.render(user, description, { ...references, previews: false })
    rendered.push({ name, description, rendered_description: html })
  }
  return rendered
}

function colorsOf(wanted: ChannelParams[], { channels }: Opened): Map<number, string> {
  const asked = new Map(wanted.flatMap(({ key, color }) => (color ? [[key, color] as const] : [])))
  return new Map(
    channels.flatMap(({ id, name }) => {
      const color = asked.get(channelKey(name))
      return color ? [[id, color] as const] : []
    }),
  )
}

function subscribeAnswer(
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
