import { type Static, Type } from 'typebox'
import { byId, groupSettingValue, id, keyword, nullable, shortText, text, userIdOrEmail } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { jsonOrText, operation, withDefault } from '../operation.ts'
import { channelFields, retention } from './channels.ts'

const notifications = nullable(Type.Boolean())

/** A channel with the personal settings of the subscriber. */
export const subscription = Type.Object({
  ...channelFields,
  subscribers: Type.Optional(Type.Array(Type.Integer())),
  partial_subscribers: Type.Optional(Type.Array(Type.Integer())),
  color: Type.String(),
  is_muted: Type.Boolean(),
  in_home_view: Type.Boolean(),
  pin_to_top: Type.Boolean(),
  desktop_notifications: notifications,
  audible_notifications: notifications,
  push_notifications: notifications,
  email_notifications: notifications,
  wildcard_mentions_notify: notifications,
})
export type SubscriptionObject = Static<typeof subscription>

const channelName = shortText
const principals = Type.Optional(Type.Array(userIdOrEmail, { maxItems: listLimits.usual }))

export const getSubscriptions = operation({
  name: 'getSubscriptions',
  method: 'GET',
  path: '/users/me/subscriptions',
  access: 'user',
  tag: 'Subscriptions',
  summary: "List the caller's subscriptions.",
  params: { include_subscribers: withDefault(Type.Boolean(), false) },
  response: { subscriptions: Type.Array(subscription) },
})

export const subscribe = operation({
  name: 'subscribe',
  method: 'POST',
  path: '/users/me/subscriptions',
  access: 'member',
  tag: 'Subscriptions',
  summary: 'Subscribe the caller or other users to channels. Channels that do not exist are created.',
  params: {
    subscriptions: Type.Array(
      Type.Object({
        name: channelName,
        description: Type.Optional(text(textLimits.description)),
        color: Type.Optional(text(7, { pattern: '^#([0-9a-fA-F]{3}){1,2}$' })),
      }),
      { maxItems: listLimits.usual },
    ),
    principals,
    authorization_errors_fatal: withDefault(Type.Boolean(), true),
    announce: withDefault(Type.Boolean(), false),
    invite_only: withDefault(Type.Boolean(), false),
    is_web_public: withDefault(Type.Boolean(), false),
    is_default_stream: withDefault(Type.Boolean(), false),
    history_public_to_subscribers: Type.Optional(Type.Boolean()),
    message_retention_days: jsonOrText(withDefault(retention, 'realm_default')),
    folder_id: Type.Optional(nullable(id)),
    can_add_subscribers_group: Type.Optional(groupSettingValue),
    can_administer_channel_group: Type.Optional(groupSettingValue),
    can_remove_subscribers_group: Type.Optional(groupSettingValue),
    can_send_message_group: Type.Optional(groupSettingValue),
    can_subscribe_group: Type.Optional(groupSettingValue),
  },
  response: {
    subscribed: byId(Type.Array(Type.String())),
    already_subscribed: byId(Type.Array(Type.String())),
    unauthorized: Type.Optional(Type.Array(Type.String())),
  },
})

export const unsubscribe = operation({
  name: 'unsubscribe',
  method: 'DELETE',
  path: '/users/me/subscriptions',
  access: 'user',
  tag: 'Subscriptions',
  summary: 'Unsubscribe the caller or other users from channels.',
  params: { subscriptions: Type.Array(channelName, { maxItems: listLimits.usual }), principals },
  response: { removed: Type.Array(Type.String()), not_removed: Type.Array(Type.String()) },
})

export const updateSubscriptions = operation({
  name: 'updateSubscriptions',
  method: 'PATCH',
  path: '/users/me/subscriptions',
  access: 'user',
  tag: 'Subscriptions',
  summary: 'Subscribe to some channels and unsubscribe from others in one request.',
  params: {
    add: Type.Optional(subscribe.params.subscriptions),
    delete: Type.Optional(unsubscribe.params.subscriptions),
  },
  response: { ...subscribe.response, ...unsubscribe.response },
})

const booleanProperties = [
  'in_home_view',
  'is_muted',
  'pin_to_top',
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
] as const
export const subscriptionProperties = ['color', ...booleanProperties] as const
export type SubscriptionProperty = (typeof subscriptionProperties)[number]

const property = Type.Enum(subscriptionProperties)
const propertyValue = Type.Union([Type.Boolean(), keyword])

export const updateSubscriptionProperties = operation({
  name: 'updateSubscriptionProperties',
  method: 'POST',
  path: '/users/me/subscriptions/properties',
  access: 'user',
  tag: 'Subscriptions',
  summary: "Update the caller's personal settings of channels they are subscribed to.",
  params: {
    subscription_data: Type.Array(Type.Object({ stream_id: id, property, value: propertyValue }), {
      maxItems: listLimits.usual,
    }),
  },
})

export const updateSubscription = operation({
  name: 'updateSubscription',
  method: 'PATCH',
  path: '/users/me/subscriptions/{stream_id}',
  access: 'user',
  tag: 'Subscriptions',
  summary: "Update the caller's personal settings of a channel they are subscribed to.",
  pathParams: { stream_id: id },
  params: { property, value: jsonOrText(propertyValue) },
})

export const getSubscriptionStatus = operation({
  name: 'getSubscriptionStatus',
  method: 'GET',
  path: '/users/{user_id}/subscriptions/{stream_id}',
  access: 'user',
  tag: 'Subscriptions',
  summary: 'Check whether a user is subscribed to a channel.',
  pathParams: { user_id: id, stream_id: id },
  response: { is_subscribed: Type.Boolean() },
})

export const getCommonChannels = operation({
  name: 'getCommonChannels',
  method: 'GET',
  path: '/users/{user_id}/common_channels',
  access: 'user',
  tag: 'Subscriptions',
  summary: 'List the channels that both the caller and another user are subscribed to.',
  pathParams: { user_id: id },
  response: { stream_ids: Type.Array(Type.Integer()) },
})
