import type { QueueEvent } from '@parley/api/events'
import { quietUntil } from './quiet-hours.ts'

type Message = Extract<QueueEvent, { type: 'message' }>['message']

interface Arrived {
  message: Pick<Message, 'type' | 'sender_id' | 'stream_id' | 'subject' | 'silent' | 'notify_anyway'>
  flags: readonly string[]
}

/** The viewer's settings for a channel; null: as for all channels. */
type ChannelRules = Partial<
  Record<
    | 'desktop_notifications'
    | 'audible_notifications'
    | 'push_notifications'
    | 'email_notifications'
    | 'wildcard_mentions_notify',
    boolean | null
  >
>

/** What the decision depends on. The store has it; the server reads it for one message. */
export interface NotificationRules {
  settings: { user_id?: number }
  preferences: { get(name: string): unknown }
  mutedUsers: { has(userId: number): boolean }
  channels: { subscribed: { get(id: number): ChannelRules | undefined } }
  topics: { policyOf(id: number, topic: string): number; isMuted(id: number, topic: string): boolean }
}

/** Answers "Why was I notified?", or why not. */
export type NotificationReason =
  | 'own'
  | 'mutedSender'
  | 'read'
  | 'silent'
  | 'quiet'
  | 'shown'
  | 'notSubscribed'
  | 'mutedChannel'
  | 'mutedTopic'
  | 'direct'
  | 'mentioned'
  | 'alertWord'
  | 'everyone'
  | 'followed'
  | 'channel'

export interface NotificationDecision {
  desktop: boolean
  sound: boolean
  /** Why it is worth showing on devices where no window is open; undefined: it is not. */
  push: NotificationReason | undefined
  /** Why an email is worth it, once the viewer is away; undefined: it is not. */
  email: NotificationReason | undefined
  reason: NotificationReason
  /** The message could have notified, but the viewer's settings do not want that. */
  isKeptSilent: boolean
  /** Until then, nothing disturbs the viewer: pushes and emails wait. In seconds since 1970. */
  quietUntil: number | undefined
}

/** Something about a message that may notify the viewer, and whether their settings want that. */
interface Cause extends Ways {
  reason: NotificationReason
}

type Ways = Record<'desktop' | 'sound' | 'push' | 'email', boolean>

const followed = 3
const nothing: Ways = { desktop: false, sound: false, push: false, email: false }
const none = { desktop: false, sound: false, push: undefined, email: undefined, quietUntil: undefined }

/** Decides whether a new message notifies the viewer. `isShown`: they are looking at its conversation. */
export function decideNotification(rules: NotificationRules, arrived: Arrived, isShown = false): NotificationDecision {
  const silence = silenceOf(rules, arrived, isShown)
  if (silence !== undefined) return { ...none, reason: silence, isKeptSilent: false }
  const causes = causesOf(rules, arrived)
  const push = causes.find((cause) => cause.push)?.reason
  const email = causes.find((cause) => cause.email)?.reason
  const wanted = causes.find(({ desktop, sound }) => desktop || sound)
  const quiet = quietFor(rules, arrived)
  if (!wanted) return { ...none, push, email, reason: causes[0]!.reason, isKeptSilent: true, quietUntil: quiet }
  if (quiet !== undefined) return { ...none, push, email, reason: 'quiet', isKeptSilent: false, quietUntil: quiet }
  return {
    desktop: causes.some(({ desktop }) => desktop),
    sound: causes.some(({ sound }) => sound) && rules.preferences.get('notification_sound') !== 'none',
    push,
    email,
    reason: wanted.reason,
    isKeptSilent: false,
    quietUntil: undefined,
  }
}

/** Until when the viewer's quiet hours or pause last. Some senders come through, and messages that their sender insists on. */
function quietFor({ preferences }: NotificationRules, { message }: Arrived): number | undefined {
  const text = (name: string) => String(preferences.get(name) ?? '')
  const paused = Number(preferences.get('notifications_paused_until') ?? 0)
  const hours = text('quiet_hours')
  if (message.notify_anyway || (hours === '' && paused === 0)) return undefined
  if (vipsOf(text('notification_vips')).includes(message.sender_id)) return undefined
  return quietUntil({ quiet_hours: hours, timezone: text('timezone'), notifications_paused_until: paused })
}

/** The setting `notification_vips` is a list of user ids. */
export function vipsOf(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number)
}

/** Why nothing notifies about this message, whatever it contains. */
function silenceOf(
  rules: NotificationRules,
  { message, flags }: Arrived,
  isShown: boolean,
): NotificationReason | undefined {
  if (message.sender_id === rules.settings.user_id) return 'own'
  if (rules.mutedUsers.has(message.sender_id)) return 'mutedSender'
  if (flags.includes('read')) return 'read'
  if (message.silent) return 'silent'
  if (isShown) return 'shown'
  // A mention by name is meant for the viewer wherever it is.
  if (message.type !== 'stream' || flags.includes('mentioned')) return undefined
  const { stream_id: id, subject: topic } = message
  if (!rules.channels.subscribed.get(id!)) return 'notSubscribed'
  if (!rules.topics.isMuted(id!, topic)) return undefined
  return rules.topics.policyOf(id!, topic) === 0 ? 'mutedChannel' : 'mutedTopic'
}

/** All causes, the most personal one first. There is always one. */
function causesOf(rules: NotificationRules, { message, flags }: Arrived): Cause[] {
  const is = (setting: string) => rules.preferences.get(setting) === true
  const personal = (reason: NotificationReason): Cause => ({
    reason,
    desktop: is('enable_desktop_notifications'),
    sound: is('enable_sounds'),
    push: is('enable_offline_push_notifications'),
    email: is('enable_offline_email_notifications'),
  })
  if (message.type !== 'stream') return [personal('direct')]
  const isFollowed = rules.topics.policyOf(message.stream_id!, message.subject) === followed
  const followedTopic: Cause = {
    reason: 'followed',
    desktop: is('enable_followed_topic_desktop_notifications'),
    sound: is('enable_followed_topic_audible_notifications'),
    push: is('enable_followed_topic_push_notifications'),
    email: is('enable_followed_topic_email_notifications'),
  }
  return [
    ...(flags.includes('mentioned') ? [personal('mentioned')] : []),
    ...(flags.includes('has_alert_word') ? [personal('alertWord')] : []),
    ...(notifiesEveryone(rules, { message, flags }, isFollowed) ? [personal('everyone')] : []),
    ...(isFollowed ? [followedTopic] : []),
    { reason: 'channel', ...channelCause(rules, message.stream_id!) },
  ]
}

function notifiesEveryone(
  { preferences, channels }: NotificationRules,
  { message, flags }: Arrived,
  isFollowed: boolean,
): boolean {
  if (!flags.some((flag) => flag.endsWith('wildcard_mentioned'))) return false
  if (isFollowed && preferences.get('enable_followed_topic_wildcard_mentions_notify') === true) return true
  const ofChannel = channels.subscribed.get(message.stream_id!)?.wildcard_mentions_notify
  return (ofChannel ?? preferences.get('wildcard_mentions_notify')) === true
}

/** The settings of the channel take precedence over those for all channels. */
function channelCause({ channels, preferences }: NotificationRules, id: number): Ways {
  const channel = channels.subscribed.get(id)
  if (!channel) return nothing
  return {
    desktop: (channel.desktop_notifications ?? preferences.get('enable_stream_desktop_notifications')) === true,
    sound: (channel.audible_notifications ?? preferences.get('enable_stream_audible_notifications')) === true,
    push: (channel.push_notifications ?? preferences.get('enable_stream_push_notifications')) === true,
    email: (channel.email_notifications ?? preferences.get('enable_stream_email_notifications')) === true,
  }
}
