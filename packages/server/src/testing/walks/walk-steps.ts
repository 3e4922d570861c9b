import type { operations } from '@parley/api/operations'
import fc from 'fast-check'

/** A user tries something; the server decides whether they may. */
export interface Step {
  who: number
  what: keyof typeof operations
  /** With a `Reference` in place of each id. */
  params: Record<string, unknown>
}

/** Something whose id is known only in the world of a walk, by its index there. */
export class Reference {
  readonly kind: 'user' | 'channel' | 'group'
  readonly index: number

  constructor(kind: Reference['kind'], index: number) {
    this.kind = kind
    this.index = index
  }
}

export const channelNames = ['verona', 'den', 'vault', 'attic']
/** The last two are created for the walk. */
export const groupNames = [
  'role:nobody',
  'role:administrators',
  'role:members',
  'role:everyone',
  'reviewers',
  'writers',
]
/** Who acts and listens. */
export const actors = 6
/** Only receives what others do, and may be deactivated. */
const bystander = new Reference('user', actors)

const actor = fc.nat(actors - 1)
const person = fc.nat(actors).map((index) => new Reference('user', index))
const users = fc.uniqueArray(person, { minLength: 1, maxLength: 3, selector: ({ index }) => index })
const channelName = fc.constantFrom(...channelNames)
const channel = fc.nat(channelNames.length - 1).map((index) => new Reference('channel', index))
const group = fc.nat(groupNames.length - 1).map((index) => new Reference('group', index))
const ownGroup = fc
  .integer({ min: groupNames.length - 2, max: groupNames.length - 1 })
  .map((n) => new Reference('group', n))
const topic = fc.constantFrom('a', 'A', 'b', '', '✔ a')
const content = fc.constantFrom(
  'hello',
  '@**Ben** hello',
  '@**all** hello',
  '@**topic** hello',
  '@*reviewers*',
  '/me waves',
)
const messageId = fc.integer({ min: 1, max: 30 })
const permission = fc.record({
  new: fc.oneof(group, fc.record({ direct_members: users, direct_subgroups: fc.array(ownGroup, { maxLength: 1 }) })),
})
const flag = fc.boolean()

type Params = Record<string, fc.Arbitrary<unknown>>

function stepOf(what: Step['what'], params: Params): fc.Arbitrary<Step> {
  return fc.record({ who: actor, what: fc.constant(what), params: fc.record(params) })
}

/** Only administrators change most of these, so that they try most often. */
function administered(what: Step['what'], params: Params): fc.Arbitrary<Step> {
  return fc.record({ who: fc.constantFrom(0, 0, 1, 3), what: fc.constant(what), params: fc.record(params) })
}

/** One of the parameters. */
function oneOf(what: Step['what'], path: Params, choices: Params): fc.Arbitrary<Step> {
  const steps = Object.entries(choices).map(([name, value]) =>
    administered(what, { path: fc.record(path), [name]: value }),
  )
  return fc.oneof(...steps)
}

const messages = fc.oneof(
  stepOf('sendMessage', {
    type: fc.constant('stream'),
    to: channelName,
    topic,
    content,
    read_by_sender: flag,
  }),
  stepOf('sendMessage', { type: fc.constant('direct'), to: users, content }),
  stepOf('updateMessageFlags', {
    op: fc.constantFrom('add', 'remove'),
    flag: fc.constantFrom('read', 'read', 'starred'),
    messages: fc.uniqueArray(messageId, { minLength: 1, maxLength: 6 }),
  }),
)

const subscriptions = fc.oneof(
  stepOf('subscribe', {
    subscriptions: channelName.map((name) => [{ name }]),
    principals: users,
    invite_only: flag,
    is_default_stream: fc.constantFrom(false, false, true),
  }),
  stepOf('unsubscribe', {
    subscriptions: channelName.map((name) => [name]),
    principals: fc.option(users, { nil: undefined }),
  }),
)

const edits = fc.oneof(
  administered('editMessage', { path: fc.record({ message_id: messageId }), content }),
  administered('editMessage', {
    path: fc.record({ message_id: messageId }),
    topic,
    stream_id: fc.option(channel, { nil: undefined }),
    propagate_mode: fc.constantFrom('change_one', 'change_later', 'change_all'),
  }),
  administered('deleteMessage', { path: fc.record({ message_id: messageId }) }),
  stepOf('setTopicPolicy', { stream_id: channel, topic, visibility_policy: fc.nat(3) }),
  stepOf('muteUser', { path: fc.record({ muted_user_id: person }) }),
  stepOf('unmuteUser', { path: fc.record({ muted_user_id: person }) }),
  stepOf('updateSubscription', {
    path: fc.record({ stream_id: channel }),
    property: fc.constantFrom('is_muted', 'pin_to_top'),
    value: flag,
  }),
)

const channels = fc.oneof(
  administered('archiveChannel', { path: fc.record({ stream_id: channel }) }),
  oneOf(
    'updateChannel',
    { stream_id: channel },
    {
      is_archived: fc.constant(false),
      is_private: flag,
      is_web_public: flag,
      history_public_to_subscribers: flag,
      is_default_stream: flag,
      new_name: fc.constantFrom('verona', 'lobby'),
      can_add_subscribers_group: permission,
      can_administer_channel_group: permission,
      can_send_message_group: permission,
      can_subscribe_group: permission,
    },
  ),
)

const people = fc.oneof(
  administered('updateUser', { path: fc.record({ user_id: person }), role: fc.constantFrom(100, 200, 300, 400, 600) }),
  administered('updateUser', {
    path: fc.record({ user_id: person }),
    full_name: fc.constantFrom('Ben', 'Rosa', 'Kim'),
  }),
  administered('deactivateUser', { path: fc.constant({ user_id: bystander }) }),
  administered('reactivateUser', { path: fc.constant({ user_id: bystander }) }),
  administered('updateRealm', { can_access_all_users_group: permission }),
  stepOf('updateSettings', { email_address_visibility: fc.constantFrom(1, 2, 3, 4, 5) }),
)

const groups = fc.oneof(
  administered('deactivateUserGroup', { path: fc.record({ user_group_id: ownGroup }) }),
  administered('updateUserGroupMembers', { path: fc.record({ user_group_id: ownGroup }), add: users }),
  administered('updateUserGroupMembers', { path: fc.record({ user_group_id: ownGroup }), delete: users }),
  administered('updateSubgroups', { path: fc.record({ user_group_id: ownGroup }), add: ownGroup.map((one) => [one]) }),
  administered('updateSubgroups', {
    path: fc.record({ user_group_id: ownGroup }),
    delete: ownGroup.map((one) => [one]),
  }),
  oneOf(
    'updateUserGroup',
    { user_group_id: ownGroup },
    { can_mention_group: permission, can_manage_group: permission },
  ),
)

function stepsOf(step: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> {
  return fc.array(step, { minLength: 6, maxLength: 20, size: 'max' })
}

export const plainSteps = stepsOf(fc.oneof(messages, subscriptions))
export const anySteps = stepsOf(fc.oneof(messages, subscriptions, edits, channels, people, groups))
