import { ParleyError } from '@parley/client/wire/errors'
import { type ReactNode, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { Dialog } from '../ui/dialog.tsx'
import { OwnPassword } from './account/own-password.tsx'
import { Form } from './fields.tsx'
import { reasonOf } from './saving.ts'

interface Asking {
  send: (password: string) => Promise<void>
  cancel: () => void
}

interface Confirmation {
  /** Acts, and once more with the password if the server asks for it. */
  confirm: <T>(act: (password: string) => Promise<T>) => Promise<T>
  /** The dialog that asks, while it does. */
  dialog: ReactNode
}

/** For what a session gets only with the password: credentials that outlive it. */
export function useConfirmation(): Confirmation {
  const [asking, setAsking] = useState<Asking>()
  const confirm: Confirmation['confirm'] = (act) =>
    act('').catch((error: unknown) => {
      if (!(error instanceof ParleyError && error.code === 'PASSWORD_REQUIRED')) throw error
      return new Promise((resolve, reject) =>
        setAsking({ send: async (password) => resolve(await act(password)), cancel: () => reject(error) }),
      )
    })
  const send = async (values: FormData) => {
    try {
      await asking?.send(String(values.get('password')))
      setAsking(undefined)
    } catch (error) {
      return reasonOf(error)
    }
  }
  const close = () => {
    asking?.cancel()
    setAsking(undefined)
  }
  const dialog = asking && (
    <Dialog title={t('password.confirm')} onClose={close}>
      <p className="dialog-text">{t('password.confirm.text')}</p>
      <Form button={t('password.confirm.button')} onSend={send}>
        <OwnPassword />
      </Form>
    </Dialog>
  )
  return { confirm, dialog }
}
