import type { ActionButton, ActionElement, ActionForm } from '@parley/api/conversations/action-widgets'
import type { ShownMessage } from '@parley/client/messages/cache'
import { Suspense, useState } from 'react'
import { echoOf } from '../../compose/local-rendering.ts'
import { nameOf } from '../../people/presence.ts'
import { errorText } from '../../platform/error-text.ts'
import { t } from '../../platform/i18n.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { lazyPart } from '../../session/lazy-part.tsx'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Actions } from '../widget-model.ts'

const ActionDialog = lazyPart(() => import('./action-dialog.tsx').then((one) => one.ActionDialog))

/** What a dialog asks before an action is pressed. */
interface Asking {
  element: ActionElement
  form?: ActionForm
  value?: string
}

/** Rows of buttons and lists that call the bot, and what was answered. */
export function ActionsView({ message, actions }: { message: ShownMessage; actions: Actions }) {
  const session = useSession()
  const store = useSlices('users')
  const [asking, setAsking] = useState<Asking>()
  const [busy, setBusy] = useState<string>()
  const press = async (element: ActionElement, params: { value?: string; answers?: object } = {}) => {
    setBusy(element.id)
    try {
      const path = { message_id: message.id }
      const answer = await session.client.call('pressAction', { path, action_id: element.id, ...params } as never)
      const { form } = answer as { form?: ActionForm }
      if (form) setAsking({ element, form })
    } catch (error) {
      showToast({ text: errorText(error), isError: true })
    } finally {
      setBusy(undefined)
    }
  }
  const begin = (element: ActionElement, value?: string) => {
    const form = element.type === 'button' ? element.form : undefined
    if (form || element.confirm) setAsking({ element, ...(form && { form }), ...(value !== undefined && { value }) })
    else void press(element, value === undefined ? {} : { value })
  }
  const choose = (button: ActionButton) => {
    if (button.reply === undefined || button.call) return begin(button)
    session.outbox.send(placeOf(message), button.reply, echoOf(undefined, button.reply))
  }
  return (
    <fieldset className="actions" aria-label={t('actions.group')}>
      {actions.rows.map((row) => (
        <div key={row.map(({ id }) => id).join()}>
          {row.map((element) => (
            <Element
              key={element.id}
              element={element}
              isDisabled={busy !== undefined || !session.mayAct}
              onPress={choose}
              onChoose={begin}
            />
          ))}
        </div>
      ))}
      {actions.presses.map(({ id, userId, answer }) => (
        <p key={id} className="quiet">
          {t('actions.pressed', { name: nameOf(store, userId), answer })}
        </p>
      ))}
      {asking && (
        <Suspense>
          <ActionDialog
            title={asking.form?.title ?? asking.element.label}
            text={asking.element.confirm}
            form={asking.form}
            onSend={(answers) => {
              setAsking(undefined)
              const { element, form, value } = asking
              void press(element, { ...(value !== undefined && { value }), ...(form && { answers }) })
            }}
            onClose={() => setAsking(undefined)}
          />
        </Suspense>
      )}
    </fieldset>
  )
}

interface ElementProps {
  element: ActionElement
  isDisabled: boolean
  onPress: (button: ActionButton) => void
  onChoose: (element: ActionElement, value: string) => void
}

function Element({ element, isDisabled, onPress, onChoose }: ElementProps) {
  if (element.type === 'select')
    return (
      <select
        className="select"
        aria-label={element.label}
        value=""
        disabled={isDisabled}
        onChange={({ target }) => onChoose(element, target.value)}
      >
        <option value="">{t('actions.choose', { label: element.label })}</option>
        {element.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )
  if (element.url)
    return (
      <a className="btn outline" href={element.url} target="_blank" rel="noopener noreferrer">
        {element.label}
      </a>
    )
  return (
    <Button look={element.style ?? 'outline'} disabled={isDisabled} onClick={() => onPress(element)}>
      {element.label}
    </Button>
  )
}

function placeOf({ stream_id, subject, display_recipient }: ShownMessage) {
  return stream_id === undefined
    ? { user_ids: (display_recipient as { id: number }[]).map(({ id }) => id) }
    : { stream_id, topic: subject }
}
