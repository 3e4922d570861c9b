import type { PropagateMode } from '@parley/api/editing'
import type { ShownMessage } from '@parley/client/messages/cache'
import { type FormEvent, useState } from 'react'
import { type PlainId, t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { moveMessages } from '../topics/moving.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { mayMoveChannel, mayMoveTopic } from './permissions.ts'

const modes: [PropagateMode, PlainId][] = [
  ['change_one', 'move.one'],
  ['change_later', 'move.later'],
  ['change_all', 'move.all'],
]

/** Moves messages to another topic or channel. */
export function MoveDialog({ message, onClose }: { message: ShownMessage; onClose: () => void }) {
  const session = useSession()
  const store = useStore()
  const [topic, setTopic] = useState(message.subject)
  const [channelId, setChannelId] = useState(message.stream_id!)
  const [mode, setMode] = useState<PropagateMode>('change_one')
  const isSame = topic.trim() === message.subject && channelId === message.stream_id
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isSame) return
    const from = { stream_id: message.stream_id!, topic: message.subject }
    const to = { stream_id: channelId, topic: topic.trim() }
    void moveMessages(session, { messageId: message.id, from, to, mode }, t('move.done'))
    onClose()
  }
  return (
    <Dialog title={t('move.title')} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <label>
          {t('common.channel')}
          <select
            value={channelId}
            disabled={!mayMoveChannel(store, message)}
            onChange={({ target }) => setChannelId(Number(target.value))}
          >
            {[...store.channels.subscribed.values()].map(({ stream_id, name }) => (
              <option key={stream_id} value={stream_id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('common.topic')}
          <input
            value={topic}
            maxLength={60}
            disabled={!mayMoveTopic(store, message)}
            onChange={({ target }) => setTopic(target.value)}
          />
        </label>
        <fieldset>
          <legend>{t('move.move')}</legend>
          {modes.map(([value, label]) => (
            <label key={value} className="choice">
              <input type="radio" name="mode" checked={mode === value} onChange={() => setMode(value)} /> {t(label)}
            </label>
          ))}
        </fieldset>
        <div className="form-end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" disabled={isSame}>
            {t('move.move')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
