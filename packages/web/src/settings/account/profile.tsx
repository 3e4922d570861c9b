import { profileFieldTypes as types } from '@parley/api/kinds'
import { nameLimits } from '@parley/api/limits'
import type { ProfileField } from '@parley/api/people/profile-fields'
import { isAdmin } from '@parley/api/permissions'
import { glyphOf } from '@parley/markdown/glyph'
import { useRef } from 'react'
import { Avatar } from '../../people/avatar.tsx'
import { nameOf } from '../../people/presence.ts'
import { statusSuggestions } from '../../people/status-suggestions.ts'
import { type Explanation, explainRole, explainText } from '../../permissions/why.ts'
import { t } from '../../platform/i18n.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { SelectLine } from '../choices.tsx'
import { Card, Line, Why } from '../controls.tsx'
import { TextLine } from '../fields.tsx'
import { dropdownOptions } from '../model.ts'
import { Picker } from '../picker.tsx'
import { save, sendFile } from '../saving.ts'
import { useOwnSettings } from '../use-settings.ts'

export function ProfilePage() {
  const store = useSlices('realm', 'users')
  const { client, viewerId } = useSession()
  const rename = (full_name: string) => client.call('updateSettings', { full_name })
  const own = store.users.byId.get(viewerId)!
  const isFixed = store.realm.settings.name_changes_disabled === true && !isAdmin(own)
  return (
    <>
      <Card>
        <AvatarLine />
        <TextLine
          label={t('common.name')}
          detail={t('profile.name.text')}
          value={own.full_name}
          maxLength={nameLimits.user}
          mayNot={isFixed ? explainText(t('profile.nameFixed')) : undefined}
          onSave={(name) => save(() => rename(name), { undo: () => rename(own.full_name) })}
        />
        <TimeZoneLine />
      </Card>
      <StatusCard />
      <FieldsCard />
    </>
  )
}

function AvatarLine() {
  const store = useSlices('realm', 'users')
  const { client, viewerId } = useSession()
  const own = store.users.byId.get(viewerId)!
  const input = useRef<HTMLInputElement>(null)
  const isFixed = store.realm.settings.avatar_changes_disabled === true && !isAdmin(own)
  const upload = (file: File | undefined) => {
    if (file) void save(() => sendFile('POST', '/users/me/avatar', file), { text: t('profile.imageSaved') })
  }
  return (
    <Line
      start={<Avatar userId={viewerId} name={own.full_name} url={own.avatar_url ?? null} size="" />}
      label={t('common.image')}
      detail={t('profile.image.text')}
      aside={<Why of={t('common.image')} mayNot={isFixed ? explainText(t('profile.imageFixed')) : undefined} />}
    >
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={t('profile.imageFile')}
        onChange={({ target }) => upload(target.files?.[0])}
      />
      <Button look="outline" icon="image" disabled={isFixed} onClick={() => input.current?.click()}>
        {t('common.upload')}
      </Button>
      {own.avatar_url && (
        <Button
          look="outline"
          disabled={isFixed}
          onClick={() => void save(() => client.call('deleteAvatar'), { text: t('profile.imageRemoved') })}
        >
          {t('common.remove')}
        </Button>
      )}
    </Line>
  )
}

const zones = Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')] as const)

function TimeZoneLine() {
  const { get, set } = useOwnSettings()
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const now = String(get('timezone') ?? '')
  return (
    <SelectLine
      label={t('profile.zone')}
      detail={now !== here ? t('profile.zoneHere', { zone: here.replaceAll('_', ' ') }) : t('profile.zone.text')}
      value={now}
      choices={now === '' ? [['', t('common.notSet')], ...zones] : zones}
      onChange={(zone) => set('timezone', zone)}
    />
  )
}

function StatusCard() {
  const store = useSlices('statuses')
  const { client, viewerId } = useSession()
  const status = store.statuses.byUser.get(viewerId)
  const put = (text: string, emoji_name: string, emoji_code: string) =>
    client.call('updateStatus', {
      status_text: text,
      emoji_name,
      emoji_code,
      reaction_type: emoji_name ? 'unicode_emoji' : '',
      scheduled_end_time: null,
    })
  const change = (text: string, name = '', code = '') =>
    save(() => put(text, name, code), {
      undo: () => put(status?.status_text ?? '', status?.emoji_name ?? '', status?.emoji_code ?? ''),
    })
  const glyph = status?.emoji_code && /^[\da-f-]+$/.test(status.emoji_code) ? `${glyphOf(status.emoji_code)} ` : ''
  return (
    <Card title={t('status.title')} text={t('status.text')}>
      <TextLine
        label={`${glyph}${t('status.title')}`}
        value={status?.status_text ?? ''}
        placeholder={t('status.placeholder')}
        maxLength={nameLimits.status}
        onSave={(text) => change(text, status?.emoji_name, status?.emoji_code)}
      />
      <div className="line-item chips-line">
        {statusSuggestions.map(([code, name, text]) => (
          <Button key={name} look="outline" onClick={() => void change(t(text), name, code)}>
            <span aria-hidden="true">{glyphOf(code)}</span> {t(text)}
          </Button>
        ))}
        {status && <Button onClick={() => void change('')}>{t('status.clear')}</Button>}
      </div>
    </Card>
  )
}

function FieldsCard() {
  const store = useSlices('organization')
  const fields = store.organization.profileFields ?? []
  if (fields.length === 0) return null
  return (
    <Card title={t('profile.more')} text={t('profile.more.text')}>
      {fields.map((field) => (
        <ProfileFieldLine key={field.id} field={field} />
      ))}
    </Card>
  )
}

function ProfileFieldLine({ field }: { field: ProfileField }) {
  const store = useSlices('users')
  const { client, viewerId } = useSession()
  const own = store.users.byId.get(viewerId)!
  const value = own.profile_data?.[field.id]?.value ?? ''
  const put = (one: string) =>
    one === ''
      ? client.call('removeProfileData', { data: [field.id] })
      : client.call('updateProfileData', {
          data: [{ id: field.id, value: field.type === types.USER.id ? JSON.parse(one) : one }],
        })
  const change = (one: string) => save(() => put(one), { undo: () => put(value) })
  const mayNot = field.editable_by_user || isAdmin(own) ? undefined : explainRole(store, 'admin')
  const common = { label: field.name, detail: field.hint, value, mayNot }
  if (field.type === types.DROPDOWN.id)
    return (
      <SelectLine
        {...common}
        choices={[['', t('common.notSet')], ...dropdownOptions(field.field_data)]}
        onChange={(one) => change(one)}
      />
    )
  if (field.type === types.USER.id) return <PeopleField {...common} onChange={change} />
  const type = { [types.DATE.id]: 'date', [types.URL.id]: 'url' }[field.type] ?? 'text'
  return <TextLine {...common} type={type} isLong={field.type === types.PARAGRAPH.id} onSave={change} />
}

interface PeopleFieldProps {
  label: string
  detail: string
  value: string
  mayNot: Explanation | undefined
  onChange: (value: string) => Promise<boolean>
}

function PeopleField({ label, detail, value, mayNot, onChange }: PeopleFieldProps) {
  const store = useSlices('users')
  const ids: number[] = value === '' ? [] : JSON.parse(value)
  const set = (next: number[]) => void onChange(next.length === 0 ? '' : JSON.stringify(next))
  const people = [...store.users.byId.values()].filter((user) => user.is_active && !ids.includes(user.user_id))
  return (
    <div className="line-item who-line">
      <div>
        <span className="named">
          <b>{label}</b>
          <Why of={label} mayNot={mayNot} />
        </span>
        {detail && <span className="d">{detail}</span>}
      </div>
      <div className="chips">
        {ids.map((id) => (
          <span key={id} className="chip">
            {nameOf(store, id)}
            {!mayNot && (
              <IconButton
                label={t('common.removeName', { name: nameOf(store, id) })}
                icon="x"
                look="tiny"
                onClick={() => set(ids.filter((one) => one !== id))}
              />
            )}
          </span>
        ))}
        {!mayNot && (
          <Picker
            label={t('profile.addTo', { field: label })}
            placeholder={t('people.add')}
            options={people.map(({ user_id, full_name, email }) => ({
              key: String(user_id),
              label: full_name,
              detail: email,
            }))}
            onPick={({ key }) => set([...ids, Number(key)])}
          />
        )}
      </div>
    </div>
  )
}
