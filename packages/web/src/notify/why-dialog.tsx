import type { ShownMessage } from '@parley/client/messages/cache'
import type { NotificationReason } from '@parley/client/messages/notifications'
import { type PlainId, t } from '../platform/i18n.ts'
import { useStore } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { explain, mentionedGroup, questionOf } from './decisions.ts'
import { usePermission } from './permission.ts'

const reasons: Record<NotificationReason, PlainId> = {
  own: 'notify.reason.own',
  mutedSender: 'notify.reason.mutedSender',
  read: 'notify.reason.read',
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

/** Says why a message notified the viewer, or why not. */
export function WhyDialog({ message, onClose }: { message: ShownMessage; onClose: () => void }) {
  const store = useStore()
  const { desktop, sound, reason, isKeptSilent, isPast } = explain(store, message)
  const group = reason === 'mentioned' && mentionedGroup(store, message.content)
  const permission = usePermission()
  const way = desktop && sound ? 'both' : desktop ? 'desktop' : 'sound'
  return (
    <Dialog title={questionOf({ desktop, sound })} onClose={onClose}>
      <div className="why">
        <p>{group ? t('notify.reason.group', { name: group }) : t(reasons[reason])}</p>
        {isKeptSilent && <p>{t('notify.why.settings')}</p>}
        {(desktop || sound) && (
          <p className="quiet">
            {isPast ? t('notify.why.caused', { way }) : t('notify.why.causes', { way })}{' '}
            {desktop && permission !== 'granted' && t('notify.why.notGranted')}
          </p>
        )}
        {!isPast && <p className="quiet">{t('notify.why.now')}</p>}
        <p>
          <a className="linkish" href="#settings/notifications">
            {t('notify.why.change')}
          </a>
        </p>
      </div>
    </Dialog>
  )
}
