import type { GroupSettingValue } from '@parley/api/common'
import { useState } from 'react'
import { goTo } from '../platform/routing.ts'
import { useSession, useStore } from '../session/context.tsx'
import { IconButton } from '../ui/button.tsx'
import { showToast } from '../ui/toast.tsx'
import { type Privacy, privacyChoices, privacyParams } from './channels-model.ts'
import { Card, Field, Form, Select } from './controls.tsx'
import { reasonOf } from './saving.ts'
import { usePermissionRules, WhoMayLine } from './who-may-line.tsx'

export function NewChannel() {
  const store = useStore()
  const { client } = useSession()
  const rules = usePermissionRules('stream')
  const everyone = [...store.groups.byId.values()].find(({ name }) => name === 'role:everyone')?.id
  const [privacy, setPrivacy] = useState<Privacy>('public')
  const [posters, setPosters] = useState<GroupSettingValue | undefined>(everyone)
  const [folder, setFolder] = useState<number | null>(null)
  const folders = [...store.folders.byId.values()].filter(({ is_archived }) => !is_archived)
  const create = async (values: FormData) => {
    const name = String(values.get('name')).trim()
    const { is_private, history_public_to_subscribers } = privacyParams(privacy)
    try {
      await client.call('subscribe', {
        subscriptions: [{ name, description: String(values.get('description')).trim() }],
        invite_only: is_private,
        history_public_to_subscribers,
        announce: values.has('announce'),
        ...(folder !== null && { folder_id: folder }),
        ...(posters !== undefined && { can_send_message_group: posters }),
      })
      showToast({ text: `#${name} was created` })
      const { stream_id } = await client.call('getChannelId', { stream: name })
      goTo(`#channels/${stream_id}`)
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <>
      <header className="bar">
        <IconButton label="All channels" icon="chevron-left" onClick={() => goTo('#channels')} />
        <div className="two">
          <h1>New channel</h1>
        </div>
      </header>
      <div className="settings-page">
        <Card>
          <Form button="Create channel" onSend={create}>
            <Field label="Name">
              {(id) => (
                <input
                  id={id}
                  name="name"
                  required
                  className="text-input"
                  maxLength={Number(store.settings.max_stream_name_length ?? 60)}
                />
              )}
            </Field>
            <Field label="Description" hint="What belongs here">
              {(id) => <textarea id={id} name="description" rows={2} maxLength={1024} className="text-input" />}
            </Field>
            <fieldset className="checks">
              <legend>Who finds and reads it</legend>
              {privacyChoices.map(([value, label, detail]) => (
                <label key={value}>
                  <input type="radio" name="privacy" checked={privacy === value} onChange={() => setPrivacy(value)} />
                  <span>
                    <b>{label}</b>
                    <span className="d">{detail}</span>
                  </span>
                </label>
              ))}
            </fieldset>
            {folders.length > 0 && (
              <div className="form-field">
                <span>Folder</span>
                <Select
                  label="Folder"
                  value={folder}
                  choices={[[null, 'None'], ...folders.map(({ id, name }) => [id, name] as const)]}
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
                  <b>Announce it</b>
                  <span className="d">In the channel for new channels</span>
                </span>
              </label>
            </fieldset>
          </Form>
        </Card>
      </div>
    </>
  )
}
