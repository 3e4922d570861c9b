import type { ProfileField } from '@parley/api/profile-fields'
import { useState } from 'react'
import { useSession, useStore } from '../session/context.tsx'
import { Card, ConfirmButton, Field, Form, Line, Select, SwitchLine, TextLine } from '../settings/controls.tsx'
import { reasonOf, save } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { dropdownData, movedUp } from './model.ts'

const types = [
  [1, 'Short text'],
  [2, 'Long text'],
  [3, 'List of options'],
  [4, 'Date'],
  [5, 'Link'],
  [6, 'People'],
  [8, 'Pronouns'],
] as const

const typeName = (type: number) => types.find(([one]) => one === type)?.[1] ?? 'External account'

export function ProfileFieldsPage() {
  const store = useStore()
  const { client } = useSession()
  const [openId, setOpenId] = useState<number>()
  const fields = store.organization.profileFields ?? []
  const ids = fields.map(({ id }) => id)
  const order = (next: number[]) => client.call('reorderProfileFields', { order: next })
  return (
    <>
      <Card title="Profile fields" text="What people can tell about themselves.">
        {fields.map((field, index) => (
          <div key={field.id}>
            <Line label={field.name} detail={[typeName(field.type), field.hint].filter(Boolean).join(' · ')}>
              {index > 0 && (
                <Button
                  look="outline"
                  aria-label={`Move ${field.name} up`}
                  onClick={() => void save(() => order(movedUp(ids, index)), { undo: () => order(ids) })}
                >
                  Move up
                </Button>
              )}
              <Button
                look="outline"
                aria-expanded={openId === field.id}
                aria-label={`Edit ${field.name}`}
                onClick={() => setOpenId(openId === field.id ? undefined : field.id)}
              >
                Edit
              </Button>
            </Line>
            {openId === field.id && <FieldDetails field={field} />}
          </div>
        ))}
        {fields.length === 0 && <p className="none-yet">No fields yet.</p>}
      </Card>
      <NewField />
    </>
  )
}

function FieldDetails({ field }: { field: ProfileField }) {
  const { client } = useSession()
  const path = { field_id: field.id }
  const put = (change: object) => client.call('updateProfileField', { path, ...change })
  const change = (next: object, before: object) => save(() => put(next), { undo: () => put(before) })
  const flag = (name: 'required' | 'editable_by_user' | 'display_in_profile_summary') => ({
    isOn: field[name] === true,
    onChange: (isOn: boolean) => void change({ [name]: isOn }, { [name]: !isOn }),
  })
  return (
    <>
      <TextLine
        label="Name"
        value={field.name}
        maxLength={40}
        onSave={(name) => change({ name }, { name: field.name })}
      />
      <TextLine
        label="Hint"
        value={field.hint}
        maxLength={80}
        onSave={(hint) => change({ hint }, { hint: field.hint })}
      />
      <SwitchLine label="Required" {...flag('required')} />
      <SwitchLine label="People edit it themselves" {...flag('editable_by_user')} />
      <SwitchLine label="Shown in the short profile" {...flag('display_in_profile_summary')} />
      <Line label="Delete this field" detail="With everything people entered">
        <ConfirmButton
          label="Delete"
          question={`Delete “${field.name}”?`}
          explanation="Its values disappear from all profiles. This cannot be undone."
          onConfirm={() => void save(() => client.call('deleteProfileField', { path }), { text: 'Deleted' })}
        />
      </Line>
    </>
  )
}

function NewField() {
  const { client } = useSession()
  const [type, setType] = useState<1 | 2 | 3 | 4 | 5 | 6 | 8>(1)
  const create = async (values: FormData) => {
    try {
      await client.call('createProfileField', {
        field_type: type,
        name: String(values.get('name')).trim(),
        hint: String(values.get('hint')).trim(),
        ...(type === 3 && { field_data: dropdownData(String(values.get('options'))) }),
      })
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <Card title="New field">
      <Form button="Add field" onSend={create}>
        <div className="form-row">
          <Field label="Name">
            {(id) => <input id={id} name="name" required maxLength={40} className="text-input" />}
          </Field>
          <Field label="Hint">{(id) => <input id={id} name="hint" maxLength={80} className="text-input" />}</Field>
        </div>
        <div className="form-field">
          <span>Kind</span>
          <Select label="Kind of field" value={type} choices={types} onChange={setType} />
        </div>
        {type === 3 && (
          <Field label="Options" hint="One on each line">
            {(id) => <textarea id={id} name="options" required rows={4} className="text-input" />}
          </Field>
        )}
      </Form>
    </Card>
  )
}
