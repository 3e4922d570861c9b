import { mayAddOthers, mayAdminister, mayJoin, mayRemoveOthers } from '@parley/api/channel-permissions'
import { operations } from '@parley/api/operations'
import type { channelGroupSettings, RealmGroupSetting, userGroupSettings } from '@parley/api/permission-settings'
import { type GroupPermission, mayInChannel, mayInGroup, mayInRealm, mayMention } from '@parley/api/permissions'
import type { Store } from '@parley/client/store/store'
import type { Actor } from '../actor.ts'
import type { Stage } from './callers.ts'
import type { Values } from './request.ts'

/** A request that the server allows exactly if the caller holds a permission. */
export interface Probe<Permission extends string, Subject> {
  permission: Permission
  operation: unknown
  /** Made for each caller. Ann may do all of it. */
  request: (stage: Stage, caller: Actor, place: Subject) => Values | Promise<Values>
  /** What the evaluator says in the client of the caller. */
  may: (store: Store, place: Subject) => boolean
  humansOnly?: true
}

let count = 0
export const fresh = () => `probe${++count}`

const realmProbe = (
  permission: RealmGroupSetting,
  operation: unknown,
  request: Probe<RealmGroupSetting, null>['request'],
  more: { humansOnly?: true } = {},
): Probe<RealmGroupSetting, null> => ({
  permission,
  operation,
  request,
  ...more,
  may: ({ viewer, realm }) => mayInRealm(viewer, realm, permission),
})

const messageOfAnn = async ({ ann, plaza }: Stage) => ({
  path: { message_id: await ann.sends({ channel: plaza.name, topic: fresh() }) },
})
const newGroup = () => ({ name: fresh(), description: '', members: [] })

export const realmProbes: Probe<RealmGroupSetting, null>[] = [
  realmProbe('can_create_public_channel_group', operations.subscribe, () => ({ subscriptions: [{ name: fresh() }] })),
  realmProbe('can_create_private_channel_group', operations.subscribe, () => ({
    subscriptions: [{ name: fresh() }],
    invite_only: true,
  })),
  realmProbe('can_create_groups', operations.createUserGroup, newGroup),
  realmProbe('can_create_bots_group', operations.createBot, () => ({ full_name: fresh(), short_name: fresh() }), {
    humansOnly: true,
  }),
  realmProbe(
    'can_invite_users_group',
    operations.sendInvitations,
    () => ({ invitee_emails: `${fresh()}@example.com`, stream_ids: [] }),
    { humansOnly: true },
  ),
  realmProbe('create_multiuse_invite_group', operations.createInvitationLink, () => ({ stream_ids: [] }), {
    humansOnly: true,
  }),
  realmProbe('can_delete_any_message_group', operations.deleteMessage, messageOfAnn),
  realmProbe('can_move_messages_between_topics_group', operations.editMessage, async (stage) => ({
    ...(await messageOfAnn(stage)),
    topic: fresh(),
  })),
  realmProbe('can_resolve_topics_group', operations.editMessage, async ({ ann, plaza }) => {
    const topic = fresh()
    return { path: { message_id: await ann.sends({ channel: plaza.name, topic }) }, topic: `✔ ${topic}` }
  }),
  realmProbe('can_move_messages_between_channels_group', operations.editMessage, async (stage, caller) => {
    const name = fresh()
    await stage.ann.does(operations.subscribe, {
      subscriptions: [{ name }],
      principals: [stage.ann.id, caller.id],
    })
    const { stream_id } = await stage.ann.does(operations.getChannelId, { stream: name })
    return { ...(await messageOfAnn(stage)), stream_id }
  }),
  realmProbe(
    'direct_message_initiator_group',
    operations.sendMessage,
    ({ ann }) => ({ type: 'direct', to: [ann.id], content: 'hi' }),
    { humansOnly: true }, // Ann's bot may reply to her
  ),
]

export interface ChannelPlace {
  stream_id: number
  name: string
}
type ChannelPermission = keyof typeof channelGroupSettings
type Channel = NonNullable<ReturnType<Store['channels']['byId']['get']>>

const inChannel =
  (may: (viewer: Store['viewer'], channel: Channel) => boolean) =>
  ({ channels, viewer }: Store, { stream_id }: ChannelPlace) => {
    const channel = channels.byId.get(stream_id)
    return channel !== undefined && may(viewer, channel)
  }

export const channelProbes: (Probe<ChannelPermission, ChannelPlace> & { isPrivate?: true })[] = [
  {
    permission: 'can_administer_channel_group',
    operation: operations.updateChannel,
    request: (_, __, { stream_id }) => ({ path: { stream_id }, description: fresh() }),
    may: inChannel(mayAdminister),
  },
  {
    permission: 'can_add_subscribers_group',
    operation: operations.subscribe,
    request: async ({ ann }, _, { name }) => ({ subscriptions: [{ name }], principals: [ann.id] }),
    may: inChannel(mayAddOthers),
  },
  {
    permission: 'can_remove_subscribers_group',
    operation: operations.unsubscribe,
    request: async ({ ann }, _, { name }) => ({ subscriptions: [name], principals: [ann.id] }),
    may: inChannel(mayRemoveOthers),
  },
  {
    permission: 'can_send_message_group',
    operation: operations.sendMessage,
    request: (_, __, { stream_id }) => ({ type: 'stream', to: stream_id, topic: fresh(), content: 'hi' }),
    may: inChannel((viewer, channel) => mayInChannel(viewer, channel, 'can_send_message_group')),
    humansOnly: true, // bots may send where their owner may
  },
  {
    permission: 'can_subscribe_group',
    operation: operations.subscribe,
    request: (_, __, { name }) => ({ subscriptions: [{ name }] }),
    may: inChannel((viewer, channel) => mayJoin(viewer, channel)),
    isPrivate: true,
  },
]

export interface GroupPlace {
  id: number
  name: string
}
type GroupProbe = Probe<keyof typeof userGroupSettings, GroupPlace>

const changeMembers = (change: (stage: Stage, caller: Actor) => Values) => ({
  operation: operations.updateUserGroupMembers,
  request: (stage: Stage, caller: Actor, { id }: GroupPlace) => ({
    path: { user_group_id: id },
    ...change(stage, caller),
  }),
})

const inGroup =
  (...permissions: GroupPermission[]): GroupProbe['may'] =>
  ({ groups, viewer }, { id }) =>
    mayInGroup(viewer, groups.byId.get(id)!, ...permissions)

/** Ann and the caller are members, except where the caller joins. */
export const groupProbes: (GroupProbe & { joins?: true })[] = [
  {
    permission: 'can_join_group',
    ...changeMembers((_, caller) => ({ add: [caller.id] })),
    may: inGroup('can_join_group', 'can_add_members_group'),
    joins: true,
  },
  {
    permission: 'can_leave_group',
    ...changeMembers((_, caller) => ({ delete: [caller.id] })),
    may: inGroup('can_leave_group', 'can_remove_members_group'),
  },
  {
    permission: 'can_add_members_group',
    ...changeMembers(({ actors }) => ({ add: [actors.EX.id] })),
    may: inGroup('can_add_members_group'),
  },
  {
    permission: 'can_remove_members_group',
    ...changeMembers(({ ann }) => ({ delete: [ann.id] })),
    may: inGroup('can_remove_members_group'),
  },
  {
    permission: 'can_manage_group',
    operation: operations.updateUserGroup,
    request: (_, __, { id }) => ({ path: { user_group_id: id }, description: fresh() }),
    may: inGroup(),
  },
  {
    permission: 'can_mention_group',
    operation: operations.sendMessage,
    request: ({ plaza }, _, { name }) => ({
      type: 'stream',
      to: plaza.stream_id,
      topic: fresh(),
      content: `@*${name}*`,
    }),
    may: ({ groups, viewer }, { id }) => mayMention(viewer, groups.byId.get(id)!),
  },
]
