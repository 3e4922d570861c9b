import { profileFieldTypes as kinds } from '@parley/api/kinds'
import { nameLimits } from '@parley/api/limits'
import { lookup } from '@parley/api/lookup'
import type { ProfileField } from '@parley/api/people/profile-fields'
import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { named, Select } from '../settings/choices.tsx'
import { ConfirmButton } from '../settings/confirm.tsx'
import { Card, Line, SwitchLine } from '../settings/controls.tsx'
import { Field, Form, TextLine } from '../settings/fields.tsx'
import { save, saveForm } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { dropdownData, movedUp } from './model.ts'

const types = [
  [kinds.SHORT_TEXT.id, 'field.short'],
  [kinds.PARAGRAPH.id, 'field.long'],
  [kinds.DROPDOWN.id, 'field.options'],
  [kinds.DATE.id, 'field.date'],
  [kinds.URL.id, 'compose.link'],
  [kinds.USER.id, 'field.people'],
  [kinds.PRONOUNS.id, 'field.pronouns'],
  [kinds.EXTERNAL_ACCOUNT.id, 'field.external'],
] as const

const typeName = (type: number) => t(types.find(([one]) => one === type)![1])

export function ProfileFieldsPage() {
  const store = useSlices('organization')
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
        maxLength={nameLimits.profileField}
        onSave={(name) => change({ name }, { name: field.name })}
      />
      <TextLine
        label={t('field.hint')}
        value={field.hint}
        maxLength={nameLimits.profileFieldHint}
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
  const [type, setType] = useState<(typeof types)[number][0]>(kinds.SHORT_TEXT.id)
  const [site, setSite] = useState('github')
  const accounts = useSlices().settings.realm_default_external_accounts ?? {}
  const account = type === kinds.EXTERNAL_ACCOUNT.id ? lookup(accounts, site) : undefined
  const create = (values: FormData) =>
    saveForm(() =>
      client.call('createProfileField', {
        field_type: type,
        name: account?.name ?? String(values.get('name')).trim(),
        hint: account?.hint ?? String(values.get('hint')).trim(),
        ...(type === kinds.DROPDOWN.id && { field_data: dropdownData(String(values.get('options'))) }),
        ...(type === kinds.EXTERNAL_ACCOUNT.id && {
          field_data: account
            ? { subtype: site }
            : { subtype: site, url_pattern: String(values.get('pattern')).trim() },
        }),
      }),
    )
  return (
    <Card title={t('field.new')}>
      <Form button={t('field.add')} onSend={create}>
        {!account && (
          <div className="form-row">
            <Field label={t('common.name')}>
              {(id) => (
                <input id={id} name="name" required maxLength={nameLimits.profileField} className="text-input" />
              )}
            </Field>
            <Field label={t('field.hint')}>
              {(id) => <input id={id} name="hint" maxLength={nameLimits.profileFieldHint} className="text-input" />}
            </Field>
          </div>
        )}
        <div className="form-field">
          <span>{t('common.kind')}</span>
          <Select label={t('field.kind')} value={type} choices={named(types)} onChange={setType} />
        </div>
        {type === kinds.EXTERNAL_ACCOUNT.id && (
          <div className="form-field">
            <span>{t('field.site')}</span>
            <Select
              label={t('field.site')}
              value={site}
              choices={[
                ...Object.entries(accounts).map(([name, { text }]) => [name, text] as const),
                ['custom', t('field.otherSite')],
              ]}
              onChange={setSite}
            />
          </div>
        )}
        {type === kinds.EXTERNAL_ACCOUNT.id && !account && (
          <Field label={t('field.pattern')} hint={t('field.patternHint')}>
            {(id) => <input id={id} name="pattern" required className="text-input" />}
          </Field>
        )}
        {type === kinds.DROPDOWN.id && (
          <Field label={t('field.choices')} hint={t('field.choicesHint')}>
            {(id) => <textarea id={id} name="options" required rows={4} className="text-input" />}
          </Field>
        )}
      </Form>
    </Card>
  )
}
