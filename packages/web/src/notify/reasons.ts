import type { NotificationReason } from '@parley/client/messages/notifications'
import type { PlainId } from '../platform/i18n.ts'

export const reasons: Record<NotificationReason, PlainId> = {
  own: 'notify.reason.own',
  mutedSender: 'notify.reason.mutedSender',
  read: 'notify.reason.read',
  silent: 'notify.trail.reason.silent',
  quiet: 'notify.reason.quiet',
  shown: 'notify.reason.shown',
  notSubscribed: 'notify.reason.notSubscribed',
  mutedChannel: 'notify.reason.mutedChannel',
  mutedTopic: 'notify.reason.mutedTopic',
  direct: 'notify.reason.direct',
  mentioned: 'notify.reason.mentioned',
  alertWord: 'notify.reason.alertWord',
  everyone: 'notify.reason.everyone',
  followed: 'notify.reason.followed',
  channel: 'notify.reason.channel',
}
