import * as api from '@parley/api/conversations/channels'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import { lookup } from '@parley/api/lookup'
import { checkAccess, reloadCaller } from '../../../callers/authenticate.ts'
import type { Caller } from '../../../callers/caller.ts'
import { type Context, transactIn } from '../../../context.ts'
import { emitDefaultChannels } from '../../../delivery/bots/events.ts'
import { channelEmail } from '../../../delivery/mail-in/channel-email.ts'
import type { AuditedChange, Tx } from '../../../events/transact.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { accessUser } from '../../../people/users/queries.ts'
import { findSystemBot } from '../../../people/users/system-bots.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { renderDescription } from '../../messages/rendering/descriptions.ts'
import { sendArchivingNotice, sendChangeNotices } from '../../notices/channel-change-notices.ts'
import { emitArchivedPolicies, updateHiddenPolicies } from '../../topics/policies.ts'
import { accessChannel, type Channel, InvalidChannelId } from '../access.ts'
import { checkPosting } from '../posting-access.ts'
import { changeProperties } from '../subscriptions/properties.ts'
import { archiveChannel, unarchiveChannel } from './archive.ts'
import { checkDescription } from './channel-names.ts'
import { addDefaultChannel, removeDefaultChannel } from './default-channels.ts'
import {
  accessManagedChannel,
  type ChannelChanges,
  checkChanges,
  checkMayManage,
  lockChannel,
  type ManagedChannel,
} from './update-access.ts'
import { type CheckedChanges, changeChannel, changesOf, type RenderedDescription } from './update-channel.ts'

export function channelUpdateRoutes(app: App): void {
  serve(app, api.updateChannel, async ({ ctx, user, path, params }) => {
    const rendered = await describe(ctx, user, path.stream_id, params.description)
    await transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await reloadCaller(tx.db, user)
      const channel = await accessOpenChannel(tx, actor, path.stream_id, params)
      const changed = await updateChannel(tx, ctx, actor, channel, params, rendered)
      if (params.is_archived === false) await sendArchivingNotice(tx, ctx, actor, changed)
    })
    return {}
  })

  serve(app, api.archiveChannel, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await reloadCaller(tx.db, user)
      const channel = await accessManagedChannel(tx, actor, path.stream_id)
      if (channel.is_archived) throw new InvalidChannelId()
      await archiveChannel(tx, actor.realm, channel)
      await emitArchivedPolicies(tx, channel.id, true)
      await tx.audit(actor.id, 'channel_archived', { channel_id: channel.id })
      await sendArchivingNotice(tx, ctx, actor, { ...channel, is_archived: true })
    })
    return {}
  })

  serve(app, api.getChannelEmail, async ({ ctx, user, path, params }) => {
    const channel = await accessChannel(ctx.db, user, path.stream_id)
    await checkPosting(ctx.db, user, channel)
    const gateway = await findSystemBot(ctx.db, user.realm, 'emailgateway')
    const senderId = params.sender_id ?? gateway.id
    if (senderId !== gateway.id) await checkMailSender(ctx, user, senderId)
    return { email: await channelEmail(ctx, user, channel, senderId) }
  })

  serve(app, api.addDefaultChannel, ({ ctx, user, params }) =>
    changeDefaults(ctx, user, params.stream_id, async (tx, channel) => {
      if (channel.invite_only) throw new ApiError('Private channels cannot be made default.')
      return makeDefault(tx, channel.id)
    }),
  )

  serve(app, api.removeDefaultChannel, ({ ctx, user, params }) =>
    changeDefaults(ctx, user, params.stream_id, (tx, channel) => makeNonDefault(tx, channel.id)),
  )

  serve(app, subscriptions.updateSubscriptionProperties, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => changeProperties(tx, user, params.subscription_data))
    return {}
  })

  serve(app, subscriptions.updateSubscription, async ({ ctx, user, path, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => changeProperties(tx, user, [{ ...path, ...params }]))
    return {}
  })
}

async function describe(
  ctx: Context,
  user: Caller,
  channelId: number,
  text: string | undefined,
): Promise<RenderedDescription | undefined> {
  if (text === undefined) return undefined
  await checkMayManage(ctx.db, user, channelId)
  const description = checkDescription(text)
  return { description, rendered_description: await renderDescription(ctx, user, description) }
}

/** Loads the channel and unarchives it if requested. An archived channel accepts no other changes. */
async function accessOpenChannel(tx: Tx, actor: Caller, id: number, params: ChannelChanges): Promise<ManagedChannel> {
  const channel = await accessManagedChannel(tx, actor, id)
  if (params.is_archived === true) throw new ApiError('To archive a channel, send a DELETE request for it.')
  if (!channel.is_archived) {
    if (params.is_archived === false) throw new ApiError('Channel is not archived.')
    return channel
  }
  if (params.is_archived === undefined) throw new InvalidChannelId()
  await unarchiveChannel(tx, actor.realm, channel)
  await emitArchivedPolicies(tx, id, false)
  await tx.audit(actor.id, 'channel_unarchived', { channel_id: id })
  return { ...channel, is_archived: false }
}

async function updateChannel(
  tx: Tx,
  ctx: Context,
  actor: Caller,
  channel: ManagedChannel,
  params: ChannelChanges,
  rendered: RenderedDescription | undefined,
): Promise<ManagedChannel> {
  const privacy = await checkChanges(tx.db, actor, channel, params)
  const changes = await changesOf(tx, actor.realm, channel, params, { privacy, rendered })
  const changed = await applyChanges(tx, ctx, actor, channel, changes)
  if (params.is_default_stream === undefined) return changed
  const action = await (params.is_default_stream ? makeDefault : makeNonDefault)(tx, channel.id)
  if (action) await tx.audit(actor.id, action, { channel_id: channel.id })
  return changed
}

async function applyChanges(
  tx: Tx,
  ctx: Context,
  actor: Caller,
  channel: ManagedChannel,
  changes: CheckedChanges,
): Promise<ManagedChannel> {
  const { permissions, ...others } = changes
  if (permissions.length + Object.keys(others).length === 0) return channel
  const changed = await changeChannel(tx, actor.realm, channel, changes)
  await tx.audit(actor.id, 'channel_updated', { channel_id: channel.id }, channelChange(channel, changes))
  if (changes.privacy || permissions.length > 0) await updateHiddenPolicies(tx, { channelIds: [channel.id] })
  if (changes.name !== undefined || changes.privacy) await emitDefaultChannels(tx, actor.realm, channel.id)
  await sendChangeNotices(tx, ctx, actor, channel, changed, changes)
  return changed
}

/** What the audit log says about a change; the rendered description follows from the description. */
function channelChange(
  channel: ManagedChannel,
  { permissions, privacy, rendered_description: _, ...others }: CheckedChanges,
): AuditedChange {
  const after = { ...others, ...privacy }
  const before = Object.fromEntries(Object.keys(after).map((name) => [name, lookup(channel, name)]))
  return {
    before: { ...before, ...Object.fromEntries(permissions.map(({ setting, before: id }) => [setting, id])) },
    after: { ...after, ...Object.fromEntries(permissions.map(({ setting, value }) => [setting, value])) },
  }
}

/** Returns the action for the audit log, if anything changed. */
async function makeDefault(tx: Tx, channelId: number): Promise<string | undefined> {
  return (await addDefaultChannel(tx, channelId)) ? 'default_channel_added' : undefined
}

async function makeNonDefault(tx: Tx, channelId: number): Promise<string | undefined> {
  return (await removeDefaultChannel(tx, channelId)) ? 'default_channel_removed' : undefined
}

/** Changes the default channels. `change` returns the action for the audit log, if anything changed. */
async function changeDefaults(
  ctx: Context,
  user: Caller,
  channelId: number,
  change: (tx: Tx, channel: Channel) => Promise<string | undefined>,
): Promise<Record<never, never>> {
  await transactIn(ctx, user.realm_id, async (tx) => {
    await lockChannel(tx, channelId)
    const actor = await reloadCaller(tx.db, user)
    checkAccess('admin', actor)
    const action = await change(tx, await accessChannel(tx.db, actor, channelId))
    if (action) await tx.audit(actor.id, action, { channel_id: channelId })
  })
  return {}
}

/** Email can be sent as the gateway's bot, the caller or one of the caller's bots. */
async function checkMailSender(ctx: Context, user: Caller, senderId: number): Promise<void> {
  if (senderId === user.id) return
  const sender = await accessUser(ctx.db, user, senderId)
  if (sender.bot_owner_id !== user.id) throw new ApiError('Invalid sender ID')
}
