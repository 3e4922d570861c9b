import { isAdmin } from '@parley/api/permissions'
import { useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { longTime } from '../../platform/times.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { leave, signOut } from '../../session/sign-out.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../confirm.tsx'
import { Card, Line, OnceButton } from '../controls.tsx'
import { Field, Form } from '../fields.tsx'
import { passwordProblem } from '../model.ts'
import { save, saveForm } from '../saving.ts'
import { hasLastingAccess, LastingAccessDialog } from './lasting-access.tsx'
import { OwnPassword } from './own-password.tsx'

export function AccountPage() {
  const store = useSlices('account', 'realm', 'users')
  const session = useSession()
  const { client, viewerId } = session
  const own = store.users.byId.get(viewerId)!
  const email = store.account.snapshot().delivery_email ?? own.email
  const requested = useLoaded(() => client.call('getEmailChange'), email)
  const isFixed = store.realm.settings.email_changes_disabled === true && !isAdmin(own)
  return (
    <>
      <Card title={t('people.email')} text={t('account.email.text')}>
        {requested.value?.email_change && (
          <PendingEmail {...requested.value.email_change} onChange={requested.reload} />
        )}
        {isFixed ? (
          <Line label={email} detail={t('account.emailFixed')} />
        ) : (
          <EmailForm email={email} onRequested={requested.reload} />
        )}
      </Card>
      <PasswordCard onChanged={requested.reload} />
      <TwoStepCard />
      <Card title={t('account.this')}>
        <Line label={t('account.signOut')} detail={t('account.signOut.text')}>
          <Button look="outline" icon="log-out" onClick={() => void signOut(session)}>
            {t('account.signOut')}
          </Button>
        </Line>
        <Line label={t('account.deactivate')} detail={t('account.deactivate.text')}>
          <ConfirmButton
            label={t('common.deactivate')}
            question={t('account.deactivateQuestion')}
            explanation={t('account.deactivateText')}
            onConfirm={() =>
              void save(() => client.call('deactivateOwnUser')).then((isDone) => (isDone ? leave(session) : undefined))
            }
          />
        </Line>
      </Card>
    </>
  )
}

/** The email stays until the link that is sent to the new one is opened. */
function PendingEmail({ new_email, expires_at, onChange }: PendingProps) {
  const { client } = useSession()
  const act = (work: () => Promise<unknown>, text: string) => save(work, { text }).then(onChange)
  return (
    <Line
      label={t('account.emailPending', { email: new_email })}
      detail={t('account.emailPending.text', { time: longTime(expires_at) })}
    >
      <OnceButton onPress={() => act(() => client.call('resendEmailChange'), t('account.emailSentAgain'))}>
        {t('account.sendAgain')}
      </OnceButton>
      <OnceButton onPress={() => act(() => client.call('cancelEmailChange'), t('account.emailCancelled'))}>
        {t('common.cancel')}
      </OnceButton>
    </Line>
  )
}
interface PendingProps {
  new_email: string
  expires_at: number
  onChange: () => void
}

function EmailForm({ email, onRequested }: { email: string; onRequested: () => void }) {
  const { client } = useSession()
  const change = async (values: FormData) => {
    const [next, old_password] = ['email', 'password'].map((name) => String(values.get(name)))
    const params = { email: next!, old_password: old_password! }
    const refused = await saveForm(() => client.call('updateSettings', params), t('account.emailSaved'))
    if (refused === undefined) onRequested()
    return refused
  }
  return (
    <Form key={email} button={t('common.save')} onSend={change}>
      <Field label={t('people.email')}>
        {(id) => <input id={id} name="email" type="email" required className="text-input" defaultValue={email} />}
      </Field>
      <OwnPassword />
    </Form>
  )
}

/** Second factors are managed on a page outside of the client, which asks for the password. */
function TwoStepCard() {
  const { client } = useSession()
  const factors = useLoaded(() => client.call('getSecondFactors'))
  return (
    <Card title={t('twoStep.title')} text={t('twoStep.text')}>
      <Loaded of={factors}>
        {({ totp_added_at, passkeys, recovery_codes }) => (
          <Line
            label={totp_added_at === null && passkeys === 0 ? t('twoStep.off') : t('twoStep.on')}
            detail={recovery_codes > 0 && t('twoStep.codes', { count: recovery_codes })}
          >
            <a className="btn outline" href="/second-factor">
              {t('twoStep.manage')}
            </a>
          </Line>
        )}
      </Loaded>
    </Card>
  )
}

/** A new password ends a change of the email that waits. */
function PasswordCard({ onChanged }: { onChanged: () => void }) {
  const store = useSlices()
  const { client } = useSession()
  const [isReviewing, setReviewing] = useState(false)
  const least = Number(store.settings.password_min_length ?? 6)
  const change = async (values: FormData) => {
    const [old, next, again] = ['old', 'new', 'again'].map((name) => String(values.get(name)))
    const problem = passwordProblem(next!, again!, least)
    if (problem) return problem
    const params = { old_password: old!, new_password: next! }
    const refused = await saveForm(() => client.call('updateSettings', params), t('password.changed'))
    if (refused !== undefined) return refused
    onChanged()
    setReviewing(await hasLastingAccess(client))
  }
  return (
    <Card title={t('password.title')}>
      {isReviewing && <LastingAccessDialog onClose={() => setReviewing(false)} />}
      <Form button={t('password.change')} onSend={change}>
        <Field label={t('password.current')}>
          {(id) => <input id={id} name="old" type="password" className="text-input" autoComplete="current-password" />}
        </Field>
        <Field label={t('password.new')} hint={t('password.least', { count: least })}>
          {(id) => (
            <input id={id} name="new" type="password" required className="text-input" autoComplete="new-password" />
          )}
        </Field>
        <Field label={t('password.again')}>
          {(id) => (
            <input id={id} name="again" type="password" required className="text-input" autoComplete="new-password" />
          )}
        </Field>
      </Form>
    </Card>
  )
}
