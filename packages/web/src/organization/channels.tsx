import { nameLimits } from '@parley/api/limits'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { knownChannels } from '../settings/channels/channels-model.ts'
import { Card, Line } from '../settings/controls.tsx'
import { Field, Form, TextLine } from '../settings/fields.tsx'
import { Picker } from '../settings/picker.tsx'
import { save, saveForm } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { DefaultGroupsCard } from './default-groups.tsx'
import { movedUp } from './model.ts'

export function ChannelsPage() {
  return (
    <>
      <DefaultsCard />
      <DefaultGroupsCard />
      <FoldersCard />
    </>
  )
}

function DefaultsCard() {
  const store = useSlices('channels', 'defaultChannels')
  const { client } = useSession()
  const add = (stream_id: number) => client.call('addDefaultChannel', { stream_id })
  const remove = (stream_id: number) => client.call('removeDefaultChannel', { stream_id })
  const all = knownChannels(store)
  const chosen = all.filter(({ stream_id }) => store.defaultChannels.ids.includes(stream_id))
  const others = all.filter((one) => !chosen.includes(one) && !one.invite_only && !one.is_archived)
  return (
    <Card title={t('defaultChannels.title')} text={t('defaultChannels.text')}>
      {chosen.map(({ stream_id: id, name, description }) => (
        <Line key={id} start={<Icon name="hash" />} label={<a href={`#channels/${id}`}>{name}</a>} detail={description}>
          <Button
            look="outline"
            aria-label={t('common.removeName', { name })}
            onClick={() => void save(() => remove(id), { undo: () => add(id) })}
          >
            {t('common.remove')}
          </Button>
        </Line>
      ))}
      {chosen.length === 0 && <p className="none-yet">{t('defaultChannels.none')}</p>}
      <div className="line-item">
        <Picker
          label={t('defaultChannels.add')}
          placeholder={t('defaultChannels.addChannel')}
          options={others.map(({ stream_id, name, description }) => ({
            key: String(stream_id),
            label: name,
            detail: description,
          }))}
          onPick={({ key }) => void save(() => add(Number(key)), { undo: () => remove(Number(key)) })}
        />
      </div>
    </Card>
  )
}

function FoldersCard() {
  const store = useSlices('folders')
  const { client } = useSession()
  const all = store.folders.snapshot().channel_folders
  const folders = all.filter(({ is_archived }) => !is_archived)
  const update = (id: number, change: object) =>
    client.call('updateChannelFolder', { path: { channel_folder_id: id }, ...change })
  const order = (ids: number[]) => client.call('reorderChannelFolders', { order: ids })
  const create = (values: FormData) =>
    saveForm(() => client.call('createChannelFolder', { name: String(values.get('name')).trim() }))
  const moveUp = (index: number) => {
    const archived = all.filter(({ is_archived }) => is_archived).map(({ id }) => id)
    const before = [...folders.map(({ id }) => id), ...archived]
    return save(() => order(movedUp(before, index)), { undo: () => order(before) })
  }
  return (
    <Card title={t('folders.title')} text={t('folders.text')}>
      {folders.map(({ id, name }, index) => (
        <div key={id}>
          <TextLine
            label={t('folders.number', { number: index + 1 })}
            value={name}
            maxLength={nameLimits.folder}
            onSave={(next) => save(() => update(id, { name: next }), { undo: () => update(id, { name }) })}
          />
          <div className="line-item chips-line">
            {index > 0 && (
              <Button look="outline" aria-label={t('common.moveUpName', { name })} onClick={() => void moveUp(index)}>
                {t('common.moveUp')}
              </Button>
            )}
            <Button
              look="outline"
              aria-label={t('folders.archiveName', { name })}
              onClick={() =>
                void save(() => update(id, { is_archived: true }), {
                  undo: () => update(id, { is_archived: false }),
                  text: t('folders.archived'),
                })
              }
            >
              {t('folders.archive')}
            </Button>
          </div>
        </div>
      ))}
      {folders.length === 0 && <p className="none-yet">{t('folders.none')}</p>}
      <Form button={t('folders.create')} onSend={create}>
        <Field label={t('folders.new')}>
          {(id) => <input id={id} name="name" required maxLength={nameLimits.folder} className="text-input" />}
        </Field>
      </Form>
    </Card>
  )
}
