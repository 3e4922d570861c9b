import { useSession, useStore } from '../session/context.tsx'
import { knownChannels } from '../settings/channels-model.ts'
import { Card, Field, Form, Line, TextLine } from '../settings/controls.tsx'
import { Picker } from '../settings/picker.tsx'
import { reasonOf, save } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { movedUp } from './model.ts'

export function ChannelsPage() {
  return (
    <>
      <DefaultsCard />
      <FoldersCard />
    </>
  )
}

function DefaultsCard() {
  const store = useStore()
  const { client } = useSession()
  const add = (stream_id: number) => client.call('addDefaultChannel', { stream_id })
  const remove = (stream_id: number) => client.call('removeDefaultChannel', { stream_id })
  const all = knownChannels(store)
  const chosen = all.filter(({ stream_id }) => store.defaultChannels.ids.includes(stream_id))
  const others = all.filter((one) => !chosen.includes(one) && !one.invite_only && !one.is_archived)
  return (
    <Card title="Default channels" text="New people are subscribed to these.">
      {chosen.map(({ stream_id: id, name, description }) => (
        <Line key={id} start={<Icon name="hash" />} label={<a href={`#channels/${id}`}>{name}</a>} detail={description}>
          <Button
            look="outline"
            aria-label={`Remove ${name}`}
            onClick={() => void save(() => remove(id), { undo: () => add(id) })}
          >
            Remove
          </Button>
        </Line>
      ))}
      {chosen.length === 0 && <p className="none-yet">New people start without channels.</p>}
      <div className="line-item">
        <Picker
          label="Add a default channel"
          placeholder="Add a channel"
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
  const store = useStore()
  const { client } = useSession()
  const all = store.folders.snapshot().channel_folders
  const folders = all.filter(({ is_archived }) => !is_archived)
  const update = (id: number, change: object) =>
    client.call('updateChannelFolder', { path: { channel_folder_id: id }, ...change })
  const order = (ids: number[]) => client.call('reorderChannelFolders', { order: ids })
  const create = async (values: FormData) => {
    try {
      await client.call('createChannelFolder', { name: String(values.get('name')).trim() })
    } catch (error) {
      return reasonOf(error)
    }
  }
  const moveUp = (index: number) => {
    const archived = all.filter(({ is_archived }) => is_archived).map(({ id }) => id)
    const before = [...folders.map(({ id }) => id), ...archived]
    return save(() => order(movedUp(before, index)), { undo: () => order(before) })
  }
  return (
    <Card title="Folders" text="They order the channels in everyone's sidebar.">
      {folders.map(({ id, name }, index) => (
        <div key={id}>
          <TextLine
            label={`Folder ${index + 1}`}
            value={name}
            maxLength={60}
            onSave={(next) => save(() => update(id, { name: next }), { undo: () => update(id, { name }) })}
          />
          <div className="line-item chips-line">
            {index > 0 && (
              <Button look="outline" aria-label={`Move ${name} up`} onClick={() => void moveUp(index)}>
                Move up
              </Button>
            )}
            <Button
              look="outline"
              aria-label={`Archive ${name}`}
              onClick={() =>
                void save(() => update(id, { is_archived: true }), {
                  undo: () => update(id, { is_archived: false }),
                  text: 'Archived',
                })
              }
            >
              Archive
            </Button>
          </div>
        </div>
      ))}
      {folders.length === 0 && <p className="none-yet">No folders yet.</p>}
      <Form button="Create folder" onSend={create}>
        <Field label="New folder">
          {(id) => <input id={id} name="name" required maxLength={60} className="text-input" />}
        </Field>
      </Form>
    </Card>
  )
}
