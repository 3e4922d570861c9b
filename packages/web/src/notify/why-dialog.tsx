import type { ShownMessage } from '@parley/client/messages/cache'
import { t } from '../platform/i18n.ts'
import { useStore } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { explain, mentionedGroup, questionOf } from './decisions.ts'
import { usePermission } from './permission.ts'
import { reasons } from './reasons.ts'
import { Trail } from './trail.tsx'

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
        <Trail messageId={message.id} />
        <p>
          <a className="linkish" href="#settings/notifications">
            {t('notify.why.change')}
          </a>
        </p>
      </div>
    </Dialog>
  )
}
