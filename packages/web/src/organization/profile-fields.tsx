import type { ProfileField } from '@parley/api/profile-fields'
import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Card, ConfirmButton, Field, Form, Line, named, Select, SwitchLine, TextLine } from '../settings/controls.tsx'
import { save, saveForm } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { dropdownData, movedUp } from './model.ts'

const types = [
  [1, 'field.short'],
  [2, 'field.long'],
  [3, 'field.options'],
  [4, 'field.date'],
  [5, 'compose.link'],
  [6, 'field.people'],
  [8, 'field.pronouns'],
] as const

const typeName = (type: number) => t(types.find(([one]) => one === type)?.[1] ?? 'field.external')

export function ProfileFieldsPage() {
  const store = useStore()
  const { client } = useSession()
  const [openId, setOpenId] = useState<number>()
  const fields = store.organization.profileFields ?? []
  const ids = fields.map(({ id }) => id)
  const order = (next: number[]) => client.call('reorderProfileFields', { order: next })
  return (
    <>
      <Card title={t('profileFields.title')} text={t('profileFields.text')}>
        {fields.map((field, index) => (
          <div key={field.id}>
            <Line label={field.name} detail={[typeName(field.type), field.hint].filter(Boolean).join(' · ')}>
              {index > 0 && (
                <Button
                  look="outline"
                  aria-label={t('common.moveUpName', { name: field.name })}
                  onClick={() => void save(() => order(movedUp(ids, index)), { undo: () => order(ids) })}
                >
                  {t('common.moveUp')}
                </Button>
              )}
              <Button
                look="outline"
                aria-expanded={openId === field.id}
                aria-label={t('snippets.edit', { name: field.name })}
                onClick={() => setOpenId(openId === field.id ? undefined : field.id)}
              >
                {t('common.edit')}
              </Button>
            </Line>
            {openId === field.id && <FieldDetails field={field} />}
          </div>
        ))}
        {fields.length === 0 && <p className="none-yet">{t('profileFields.none')}</p>}
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
        label={t('common.name')}
        value={field.name}
        maxLength={40}
        onSave={(name) => change({ name }, { name: field.name })}
      />
      <TextLine
        label={t('field.hint')}
        value={field.hint}
        maxLength={80}
        onSave={(hint) => change({ hint }, { hint: field.hint })}
      />
      <SwitchLine label={t('field.required')} {...flag('required')} />
      <SwitchLine label={t('field.editable')} {...flag('editable_by_user')} />
      <SwitchLine label={t('field.summary')} {...flag('display_in_profile_summary')} />
      <Line label={t('field.delete')} detail={t('field.delete.text')}>
        <ConfirmButton
          label={t('common.delete')}
          question={t('common.deleteQuestion', { name: field.name })}
          explanation={t('field.deleteText')}
          onConfirm={() => void save(() => client.call('deleteProfileField', { path }), { text: t('common.deleted') })}
        />
      </Line>
    </>
  )
}

function NewField() {
  const { client } = useSession()
  const [type, setType] = useState<1 | 2 | 3 | 4 | 5 | 6 | 8>(1)
  const create = (values: FormData) =>
    saveForm(() =>
      client.call('createProfileField', {
        field_type: type,
        name: String(values.get('name')).trim(),
        hint: String(values.get('hint')).trim(),
        ...(type === 3 && { field_data: dropdownData(String(values.get('options'))) }),
      }),
    )
  return (
    <Card title={t('field.new')}>
      <Form button={t('field.add')} onSend={create}>
        <div className="form-row">
          <Field label={t('common.name')}>
            {(id) => <input id={id} name="name" required maxLength={40} className="text-input" />}
          </Field>
          <Field label={t('field.hint')}>
            {(id) => <input id={id} name="hint" maxLength={80} className="text-input" />}
          </Field>
        </div>
        <div className="form-field">
          <span>{t('common.kind')}</span>
          <Select label={t('field.kind')} value={type} choices={named(types)} onChange={setType} />
        </div>
        {type === 3 && (
          <Field label={t('field.choices')} hint={t('field.choicesHint')}>
            {(id) => <textarea id={id} name="options" required rows={4} className="text-input" />}
          </Field>
        )}
      </Form>
    </Card>
  )
}
