import { textLimits } from '@parley/api/limits'
import type { StoredUser } from '@parley/client/store/users'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { useLoaded } from '../session/loading.tsx'
import { SessionLines } from '../settings/account/session-lines.tsx'
import { Field, Form } from '../settings/fields.tsx'
import { save, saveForm } from '../settings/saving.ts'
import { Dialog } from '../ui/dialog.tsx'

interface MemberDialogProps {
  user: StoredUser
  onClose: () => void
}

/** Where a member is signed in. */
export function SessionsDialog({ user: { user_id, full_name: name }, onClose }: MemberDialogProps) {
  const { client } = useSession()
  const sessions = useLoaded(() => client.call('getUserSessions', { path: { user_id } }).then((one) => one.sessions))
  const end = (session_id: number) =>
    save(() => client.call('endUserSession', { path: { user_id, session_id } }), { text: t('sessions.ended') }).then(
      sessions.reload,
    )
  return (
    <Dialog title={t('members.sessionsOf', { name })} onClose={onClose}>
      <p className="dialog-text">
        {sessions.value?.length === 0 ? t('members.noSessions') : t('members.sessionsText')}
      </p>
      <SessionLines sessions={sessions} onEnd={(id) => void end(id)} />
    </Dialog>
  )
}

export function EmailDialog({ user: { user_id, full_name: name, delivery_email }, onClose }: MemberDialogProps) {
  const { client } = useSession()
  const send = async (values: FormData) => {
    const new_email = String(values.get('email')).trim()
    const change = () => client.call('updateUser', { path: { user_id }, new_email })
    const refused = await saveForm(change, t('members.emailChanged', { name, email: new_email }))
    if (refused === undefined) onClose()
    return refused
  }
  return (
    <Dialog title={t('members.emailOf', { name })} onClose={onClose}>
      <p className="dialog-text">{t('members.emailText')}</p>
      <Form button={t('members.emailButton')} onSend={send}>
        <Field label={t('members.newEmail')}>
          {(id) => (
            <input
              id={id}
              name="email"
              type="email"
              required
              className="text-input"
              maxLength={textLimits.email}
              defaultValue={delivery_email ?? ''}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
