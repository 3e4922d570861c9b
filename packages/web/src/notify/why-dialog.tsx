import type { ShownMessage } from '@parley/client/messages/cache'
import { useStore } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { explain, questionOf } from './decisions.ts'
import { usePermission } from './permission.ts'

/** Says why a message notified the viewer, or why not. */
export function WhyDialog({ message, onClose }: { message: ShownMessage; onClose: () => void }) {
  const { desktop, sound, reason, isPast } = explain(useStore(), message)
  const permission = usePermission()
  const way = [desktop && 'a desktop notification', sound && 'a sound'].filter(Boolean).join(' and ')
  return (
    <Dialog title={questionOf({ desktop, sound })} onClose={onClose}>
      <div className="why">
        <p>{reason}</p>
        {way && (
          <p className="quiet">
            {isPast ? `It caused ${way}.` : `A message like this now causes ${way}.`}
            {desktop && permission !== 'granted' && ' This browser does not show desktop notifications, though.'}
          </p>
        )}
        {!isPast && <p className="quiet">It came before this page was opened: this is what your settings say now.</p>}
        <p>
          <a className="linkish" href="#settings/notifications">
            Change your notifications
          </a>
        </p>
      </div>
    </Dialog>
  )
}
