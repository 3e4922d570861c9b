import { textLimits } from '@parley/api/limits'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'
import { useSession } from '../session/context.tsx'
import { Line } from '../settings/controls.tsx'
import { Field, Form } from '../settings/fields.tsx'
import { saveForm } from '../settings/saving.ts'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { usePins } from './use-pins.ts'

/** Adds links to a channel, and removes links and pinned messages. */
export function PinsDialog({ channelId, onClose }: { channelId: number; onClose: () => void }) {
  const { client } = useSession()
  const pins = usePins(channelId)
  const path = { stream_id: channelId }
  const add = (values: FormData) => {
    const link = { url: String(values.get('url')).trim(), title: String(values.get('title')).trim() }
    return saveForm(() => client.call('createChannelPin', { path, ...link }), t('pins.added'))
  }
  const remove = (id: number) =>
    void act(client.call('deleteChannelPin', { path: { ...path, pin_id: id } }), t('pins.removed'))
  return (
    <Dialog title={t('pins.title')} onClose={onClose}>
      <p className="dialog-text">{t('pins.text')}</p>
      <div className="pin-list">
        {pins.map(({ id, title, url }) => (
          <Line key={id} label={title} detail={url ?? t('pins.message')}>
            <IconButton label={t('pins.remove', { title })} icon="trash" onClick={() => remove(id)} />
          </Line>
        ))}
      </div>
      <Form button={t('pins.add')} onSend={add}>
        <Field label={t('pins.url')}>
          {(id) => (
            <input
              id={id}
              name="url"
              type="url"
              className="text-input"
              placeholder="https://"
              required
              maxLength={textLimits.url}
            />
          )}
        </Field>
        <Field label={t('pins.name')}>
          {(id) => <input id={id} name="title" className="text-input" required maxLength={textLimits.pinTitle} />}
        </Field>
      </Form>
    </Dialog>
  )
}
