import type { PropagateMode } from '@parley/api/conversations/editing'
import type { ShownMessage } from '@parley/client/messages/cache'
import { type FormEvent, useState } from 'react'
import { ChannelField } from '../compose/channel-field.tsx'
import { TopicField } from '../compose/to-line.tsx'
import { explainMove } from '../permissions/explain-move.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Why } from '../settings/controls.tsx'
import { moveMessages, moveTargets } from '../topics/moving.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

const modes: [PropagateMode, PlainId][] = [
  ['change_one', 'move.one'],
  ['change_later', 'move.later'],
  ['change_all', 'move.all'],
]

/** Moves messages to another topic or channel. */
export function MoveDialog({ message, onClose }: { message: ShownMessage; onClose: () => void }) {
  const session = useSession()
  const store = useSlices('channels', 'groups', 'realm', 'users', 'viewer')
  const noChannel = explainMove(store, message, 'channel')
  const noTopic = explainMove(store, message, 'topic')
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
        <div className="topic-field">
          <span className="named">
            {t('common.channel')}
            <Why of={t('common.channel')} mayNot={noChannel} />
          </span>
          <ChannelField
            channels={moveTargets(store, message.stream_id!)}
            channelId={channelId}
            isDisabled={noChannel !== undefined}
            onChannel={setChannelId}
          />
        </div>
        <div className="topic-field">
          <span className="named">
            {t('common.topic')}
            <Why of={t('common.topic')} mayNot={noTopic} />
          </span>
          <TopicField channelId={channelId} topic={topic} isDisabled={noTopic !== undefined} onTopic={setTopic} />
        </div>
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
