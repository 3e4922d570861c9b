import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { showToast } from '../ui/toast.tsx'
import { Card, ConfirmButton, Field, Form, Line, TextLine } from './controls.tsx'
import { passwordProblem } from './model.ts'
import { reasonOf, save } from './saving.ts'

export function AccountPage() {
  const store = useStore()
  const { client, viewerId } = useSession()
  const own = store.users.byId.get(viewerId)!
  const email = String((store.account.snapshot() as { delivery_email?: string }).delivery_email ?? own.email)
  const isFixed = store.realm.settings.email_changes_disabled === true && own.role > 200
  const signOut = async () => {
    await client.call('endCurrentSession').catch(() => {})
    window.location.href = '/login'
  }
  const changeEmail = (next: string) =>
    save(() => client.call('updateSettings', { email: next }), { text: 'Saved. Check your mail to confirm it.' })
  return (
    <>
      <Card title="Email" text="For signing in, and for mail that you asked for.">
        <TextLine
          label="Email"
          type="email"
          value={email}
          isDisabled={isFixed}
          detail={isFixed ? 'Your organization does not allow changes of emails.' : undefined}
          onSave={changeEmail}
        />
      </Card>
      <PasswordCard />
      <Card title="This account">
        <Line label="Sign out" detail="On this device only">
          <Button look="outline" icon="log-out" onClick={() => void signOut()}>
            Sign out
          </Button>
        </Line>
        <Line label="Deactivate your account" detail="An administrator can reactivate it">
          <ConfirmButton
            label="Deactivate"
            question="Deactivate your account?"
            explanation="You are signed out everywhere, and your bots stop working. Your messages stay."
            onConfirm={() =>
              void save(() => client.call('deactivateOwnUser')).then((isDone) => {
                if (isDone) window.location.href = '/login'
              })
            }
          />
        </Line>
      </Card>
    </>
  )
}

function PasswordCard() {
  const store = useStore()
  const { client } = useSession()
  const least = Number(store.settings.password_min_length ?? 6)
  const change = async (values: FormData) => {
    const [old, next, again] = ['old', 'new', 'again'].map((name) => String(values.get(name)))
    const problem = passwordProblem(next!, again!, least)
    if (problem) return problem
    try {
      await client.call('updateSettings', { old_password: old!, new_password: next! })
    } catch (error) {
      return reasonOf(error)
    }
    showToast({ text: 'Your password was changed. Other devices are signed out.' })
  }
  return (
    <Card title="Password">
      <Form button="Change password" onSend={change}>
        <Field label="Current password">
          {(id) => <input id={id} name="old" type="password" className="text-input" autoComplete="current-password" />}
        </Field>
        <Field label="New password" hint={`At least ${least} characters`}>
          {(id) => (
            <input id={id} name="new" type="password" required className="text-input" autoComplete="new-password" />
          )}
        </Field>
        <Field label="New password again">
          {(id) => (
            <input id={id} name="again" type="password" required className="text-input" autoComplete="new-password" />
          )}
        </Field>
      </Form>
    </Card>
  )
}
