import { t } from '../../platform/i18n.ts'
import { Field } from '../fields.tsx'

/** Asks for the password, before a session gets credentials that outlive it. */
export function OwnPassword() {
  return (
    <Field label={t('password.own')} hint={t('password.none')}>
      {(id) => <input id={id} name="password" type="password" className="text-input" autoComplete="current-password" />}
    </Field>
  )
}
