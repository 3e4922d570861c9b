import type { GroupSettingValue } from '@parley/api/common'
import { nameLimits } from '@parley/api/limits'
import { useState } from 'react'
import { usePermissionRules, WhoMayLine } from '../../permissions/who-may-line.tsx'
import { t } from '../../platform/i18n.ts'
import { goTo } from '../../platform/routing.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { IconButton } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Select } from '../choices.tsx'
import { Card } from '../controls.tsx'
import { Field, Form } from '../fields.tsx'
import { reasonOf } from '../saving.ts'
import { type Privacy, privacyChoicesFor, privacyParams } from './channels-model.ts'

export function NewChannel() {
  const store = useSlices('folders', 'groups', 'viewer')
  const { client } = useSession()
  const rules = usePermissionRules('stream')
  const everyone = [...store.groups.byId.values()].find(({ name }) => name === 'role:everyone')?.id
  const [privacy, setPrivacy] = useState<Privacy>('public')
  const [posters, setPosters] = useState<GroupSettingValue | undefined>(everyone)
  const [folder, setFolder] = useState<number | null>(null)
  const folders = [...store.folders.byId.values()].filter(({ is_archived }) => !is_archived)
  const create = async (values: FormData) => {
    const name = String(values.get('name')).trim()
    const { is_private, ...kind } = privacyParams(privacy)
    try {
      await client.call('subscribe', {
        subscriptions: [{ name, description: String(values.get('description')).trim() }],
        invite_only: is_private,
        ...kind,
        announce: values.has('announce'),
        ...(folder !== null && { folder_id: folder }),
        ...(posters !== undefined && { can_send_message_group: posters }),
      })
      showToast({ text: t('channel.created', { name }) })
      const { stream_id } = await client.call('getChannelId', { stream: name })
      goTo(`#channels/${stream_id}`)
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <>
      <header className="bar">
        <IconButton label={t('channel.all')} icon="chevron-left" onClick={() => goTo('#channels')} />
        <div className="two">
          <h1>{t('channel.new')}</h1>
        </div>
      </header>
      <div className="settings-page">
        <Card>
          <Form button={t('channel.create')} onSend={create}>
            <Field label={t('common.name')}>
              {(id) => (
                <input
                  id={id}
                  name="name"
                  required
                  className="text-input"
                  maxLength={store.settings.max_stream_name_length ?? nameLimits.channel}
                />
              )}
            </Field>
            <Field label={t('common.description')} hint={t('channel.descriptionHint')}>
              {(id) => (
                <textarea
                  id={id}
                  name="description"
                  rows={2}
                  maxLength={nameLimits.channelDescription}
                  className="text-input"
                />
              )}
            </Field>
            <fieldset className="checks">
              <legend>{t('channel.privacy')}</legend>
              {privacyChoicesFor(store).map(([value, label, detail]) => (
                <label key={value}>
                  <input type="radio" name="privacy" checked={privacy === value} onChange={() => setPrivacy(value)} />
                  <span>
                    <b>{t(label)}</b>
                    <span className="d">{t(detail)}</span>
                  </span>
                </label>
              ))}
            </fieldset>
            {folders.length > 0 && (
              <div className="form-field">
                <span>{t('channel.folder')}</span>
                <Select
                  label={t('channel.folder')}
                  value={folder}
                  choices={[[null, t('channel.noFolder')], ...folders.map(({ id, name }) => [id, name] as const)]}
                  onChange={setFolder}
                />
              </div>
            )}
            {posters !== undefined && rules.can_send_message_group && (
              <WhoMayLine
                name="can_send_message_group"
                rule={rules.can_send_message_group}
                value={posters}
                onChange={async (change) => setPosters(change.new)}
              />
            )}
            <fieldset className="checks">
              <label>
                <input type="checkbox" name="announce" />
                <span>
                  <b>{t('channel.announce')}</b>
                  <span className="d">{t('channel.announce.text')}</span>
                </span>
              </label>
            </fieldset>
          </Form>
        </Card>
      </div>
    </>
  )
}
