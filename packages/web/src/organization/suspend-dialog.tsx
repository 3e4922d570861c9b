import { useEffect, useState } from 'react'
import { fromLocalInput, localInput } from '../compose/scheduled/schedule.ts'
import { t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { useSession } from '../session/context.tsx'
import { Field, Form } from '../settings/fields.tsx'
import { reasonOf } from '../settings/saving.ts'
import { Dialog } from '../ui/dialog.tsx'
import { showToast } from '../ui/toast.tsx'

interface SuspendProps {
  user: { user_id: number; full_name: string }
  onClose: () => void
}

const week = 7 * 86_400

export function SuspendDialog({ user: { user_id, full_name: name }, onClose }: SuspendProps) {
  const { client } = useSession()
  const now = Date.now() / 1000
  const send = async (values: FormData) => {
    const until = fromLocalInput(String(values.get('until'))) ?? 0
    try {
      await client.call('suspendUser', { path: { user_id }, until })
      showToast({ text: t('members.wasSuspended', { name, time: exactTime(until) }) })
      onClose()
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <Dialog title={t('members.suspendTitle', { name })} onClose={onClose}>
      <p className="dialog-text">{t('members.suspendText')}</p>
      <Form button={t('members.suspendButton')} onSend={send}>
        <Field label={t('members.suspendUntil')}>
          {(id) => (
            <input
              id={id}
              name="until"
              type="datetime-local"
              required
              className="text-input"
              min={localInput(now)}
              defaultValue={localInput(now + week)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}

/** The ends of the suspensions by user; requested again when an account changes. */
export function useSuspensions(): ReadonlyMap<number, number> {
  const session = useSession()
  const [ends, setEnds] = useState<ReadonlyMap<number, number>>(new Map())
  useEffect(() => {
    const load = () =>
      void session.client
        .call('getSuspensions')
        .then(({ suspensions }) => setEnds(new Map(suspensions.map(({ user_id, until }) => [user_id, until]))))
        .catch(() => {}) // without them, accounts are shown as deactivated
    load()
    return session.onEvent(({ type }) => type === 'realm_user' && load())
  }, [session])
  return ends
}
