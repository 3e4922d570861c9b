import { isAdmin } from '@parley/api/permissions'
import { nameOf } from '../people/presence.ts'
import { useMay } from '../permissions/use-may.ts'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { ConfirmButton } from '../settings/confirm.tsx'
import { Card, Line } from '../settings/controls.tsx'
import { Field, Form } from '../settings/fields.tsx'
import { save, saveForm, sendFile } from '../settings/saving.ts'

export function EmojiPage() {
  const store = useSlices('emoji', 'users', 'viewer')
  const { client, viewerId } = useSession()
  const mayAdd = useMay('can_add_custom_emoji_group')
  const emoji = Object.values(store.emoji.byId)
    .filter(({ deactivated }) => !deactivated)
    .sort((a, b) => a.name.localeCompare(b.name))
  const add = async (values: FormData) => {
    const file = values.get('image')
    const name = String(values.get('name')).trim().toLowerCase().replaceAll(' ', '_')
    if (!(file instanceof File) || file.size === 0) return t('emoji.choose')
    return saveForm(() => sendFile('POST', `/realm/emoji/${encodeURIComponent(name)}`, file))
  }
  const remove = (name: string) =>
    save(() => client.call('deactivateEmoji', { path: { emoji_name: name } }), { text: t('emoji.removed', { name }) })
  return (
    <>
      {mayAdd && (
        <Card title={t('emoji.new')} text={t('emoji.new.text')}>
          <Form button={t('emoji.add')} onSend={add}>
            <div className="form-row">
              <Field label={t('common.name')}>
                {(id) => <input id={id} name="name" required className="text-input" placeholder="party_ship" />}
              </Field>
              <Field label={t('common.image')}>
                {(id) => <input id={id} name="image" type="file" accept="image/*" required className="text-input" />}
              </Field>
            </div>
          </Form>
        </Card>
      )}
      <Card title={t('emoji.own')}>
        {emoji.map(({ id, name, source_url, author_id }) => (
          <Line
            key={id}
            start={<img className="emoji-image" src={source_url} alt="" />}
            label={`:${name}:`}
            detail={author_id === null ? undefined : t('emoji.addedBy', { name: nameOf(store, author_id) })}
          >
            {(isAdmin(store.viewer) || author_id === viewerId) && (
              <ConfirmButton
                label={t('common.remove')}
                question={t('emoji.removeQuestion', { name })}
                explanation={t('emoji.removeText')}
                onConfirm={() => void remove(name)}
              />
            )}
          </Line>
        ))}
        {emoji.length === 0 && <p className="none-yet">{t('emoji.noOwn')}</p>}
      </Card>
    </>
  )
}
