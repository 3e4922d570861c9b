import type { ActionAnswers, ActionForm, FormField } from '@parley/api/conversations/action-widgets'
import { problemWith } from '@parley/api/conversations/form-answers'
import { t } from '../../platform/i18n.ts'
import { useStore } from '../../session/context.tsx'
import { Field, Form } from '../../settings/fields.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import '../../settings/settings.css'

interface ActionDialogProps {
  title: string
  text?: string | undefined
  form?: ActionForm | undefined
  onSend: (answers: ActionAnswers) => void
  onClose: () => void
}

/** The form of an action, or the question before it. */
export function ActionDialog({ title, text, form, onSend, onClose }: ActionDialogProps) {
  const send = async (values: FormData) => {
    const answers = form ? answersIn(form, values) : {}
    const problem = form && problemWith(form, answers)
    if (problem === undefined) onSend(answers)
    return problem
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {text && <p className="dialog-text">{text}</p>}
      <Form button={form ? (form.submit ?? t('actions.send')) : t('actions.confirm')} onSend={send}>
        {form?.fields.map((field) => (
          <Field key={field.name} label={field.label}>
            {(id) => <Input id={id} field={field} />}
          </Field>
        ))}
      </Form>
    </Dialog>
  )
}

function Input({ id, field: { name, type, required, multiline, options } }: { id: string; field: FormField }) {
  const store = useStore()
  const common = { id, name, required, className: 'text-input' }
  if (type === 'select')
    return (
      <select {...common} className="select">
        {!required && <option value="" />}
        {options?.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )
  if (type === 'users')
    return (
      <select {...common} multiple>
        {[...store.users.byId.values()]
          .filter(({ is_active }) => is_active)
          .map(({ user_id, full_name }) => (
            <option key={user_id} value={user_id}>
              {full_name}
            </option>
          ))}
      </select>
    )
  if (type === 'text' && multiline) return <textarea {...common} rows={4} maxLength={2000} />
  if (type === 'checkbox') return <input {...common} className="" type="checkbox" value="true" />
  return <input {...common} type={type === 'date' ? 'date' : 'text'} maxLength={2000} />
}

/** What was entered; fields that were left empty are left out. */
function answersIn({ fields }: ActionForm, values: FormData): ActionAnswers {
  const entered = fields.map(({ name, type }) => [name, answerIn(name, type, values)] as const)
  return Object.fromEntries(entered.filter(([, value]) => value !== '')) as ActionAnswers
}

function answerIn(name: string, type: FormField['type'], values: FormData): ActionAnswers[string] {
  if (type === 'users') return values.getAll(name).map(Number)
  if (type === 'checkbox') return values.has(name)
  return String(values.get(name) ?? '').trim()
}
