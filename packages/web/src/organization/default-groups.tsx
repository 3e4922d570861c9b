import type { DefaultChannelGroup } from '@parley/api/conversations/default-channel-groups'
import { nameLimits } from '@parley/api/limits'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { knownChannels } from '../settings/channels/channels-model.ts'
import { Card } from '../settings/controls.tsx'
import { Field, Form, TextLine } from '../settings/fields.tsx'
import { Picker } from '../settings/picker.tsx'
import { save, saveForm } from '../settings/saving.ts'
import { Button, IconButton } from '../ui/button.tsx'

/** Sets of channels that people can choose when they join. */
export function DefaultGroupsCard() {
  const { groups } = useSlices('defaultChannels').defaultChannels
  const { client } = useSession()
  const create = (values: FormData) =>
    saveForm(() =>
      client.call('createDefaultChannelGroup', {
        group_name: String(values.get('name')).trim(),
        description: String(values.get('description')).trim(),
        stream_names: [],
      }),
    )
  return (
    <Card title={t('defaultGroups.title')} text={t('defaultGroups.text')}>
      {groups.map((group, index) => (
        <GroupLines key={group.id} group={group} number={index + 1} />
      ))}
      {groups.length === 0 && <p className="none-yet">{t('defaultGroups.none')}</p>}
      <Form button={t('defaultGroups.create')} onSend={create}>
        <Field label={t('defaultGroups.new')}>
          {(id) => (
            <input
              id={id}
              name="name"
              required
              maxLength={nameLimits.defaultGroup}
              className="text-input"
              placeholder={t('defaultGroups.example')}
            />
          )}
        </Field>
        <Field label={t('defaultGroups.newDescription')}>
          {(id) => (
            <input id={id} name="description" maxLength={nameLimits.defaultGroupDescription} className="text-input" />
          )}
        </Field>
      </Form>
    </Card>
  )
}

function GroupLines({ group, number }: { group: DefaultChannelGroup; number: number }) {
  const { id, name, description } = group
  const { client } = useSession()
  const path = { group_id: id }
  const update = (change: object) => client.call('updateDefaultChannelGroup', { path, ...change })
  return (
    <fieldset aria-label={name}>
      <TextLine
        label={t('defaultGroups.number', { number })}
        value={name}
        maxLength={nameLimits.defaultGroup}
        onSave={(next) =>
          save(() => update({ new_group_name: next }), { undo: () => update({ new_group_name: name }) })
        }
      />
      <TextLine
        label={t('defaultGroups.description')}
        value={description}
        maxLength={nameLimits.defaultGroupDescription}
        onSave={(next) =>
          save(() => update({ new_description: next }), { undo: () => update({ new_description: description }) })
        }
      />
      <GroupChannels group={group} />
    </fieldset>
  )
}

function GroupChannels({ group }: { group: DefaultChannelGroup }) {
  const { id, name, description, streams } = group
  const store = useSlices('channels', 'defaultChannels')
  const { client } = useSession()
  const path = { group_id: id }
  const change = (op: 'add' | 'remove', channel: string) =>
    client.call('updateDefaultChannelGroupChannels', { path, op, stream_names: [channel] })
  const all = knownChannels(store)
  const chosen = all.filter(({ stream_id }) => streams.includes(stream_id))
  const others = all.filter(
    (one) =>
      !chosen.includes(one) &&
      !one.invite_only &&
      !one.is_archived &&
      !store.defaultChannels.ids.includes(one.stream_id),
  )
  const stream_names = chosen.map((channel) => channel.name)
  return (
    <>
      <div className="line-item who-line">
        <div>
          <b>{t('defaultGroups.channels')}</b>
        </div>
        <div className="chips">
          {chosen.map(({ stream_id, name: channel }) => (
            <span key={stream_id} className="chip">
              {channel}
              <IconButton
                label={t('common.removeName', { name: channel })}
                icon="x"
                look="tiny"
                onClick={() => void save(() => change('remove', channel), { undo: () => change('add', channel) })}
              />
            </span>
          ))}
          <Picker
            label={t('defaultGroups.addChannelTo', { name })}
            placeholder={t('defaultChannels.addChannel')}
            options={others.map(({ stream_id, name: label, description: detail }) => ({
              key: String(stream_id),
              label,
              detail,
            }))}
            onPick={({ label }) => void save(() => change('add', label), { undo: () => change('remove', label) })}
          />
        </div>
      </div>
      <div className="line-item chips-line">
        <Button
          look="outline"
          aria-label={t('defaultGroups.deleteName', { name })}
          onClick={() =>
            void save(() => client.call('deleteDefaultChannelGroup', { path }), {
              undo: () => client.call('createDefaultChannelGroup', { group_name: name, description, stream_names }),
              text: t('defaultGroups.deleted'),
            })
          }
        >
          {t('defaultGroups.delete')}
        </Button>
      </div>
    </>
  )
}
