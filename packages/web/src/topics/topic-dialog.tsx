import { type FormEvent, useState } from 'react'
import { TopicField } from '../compose/to-line.tsx'
import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { moveTopic } from './actions.ts'
import type { TopicPlace } from './moving.ts'

interface TopicDialogProps {
  place: TopicPlace
  /** Also asks for the channel. */
  hasChannel: boolean
  onClose: () => void
}

/** Renames a topic, or moves it to another channel. */
export function TopicDialog({ place, hasChannel, onClose }: TopicDialogProps) {
  const session = useSession()
  const store = useStore()
  const [topic, setTopic] = useState(place.topic)
  const [channelId, setChannelId] = useState(place.stream_id)
  const to = { stream_id: channelId, topic: topic.trim() }
  const isSame = to.topic === place.topic && channelId === place.stream_id
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isSame) return
    void moveTopic(session, place, to, hasChannel ? 'Topic moved.' : 'Topic renamed.')
    onClose()
  }
  return (
    <Dialog title={hasChannel ? 'Move topic' : 'Rename topic'} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {hasChannel && (
          <label>
            Channel
            <select value={channelId} onChange={({ target }) => setChannelId(Number(target.value))}>
              {[...store.channels.subscribed.values()].map(({ stream_id, name }) => (
                <option key={stream_id} value={stream_id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <div className="form-field">
          Topic
          <TopicField channelId={channelId} topic={topic} onTopic={setTopic} />
        </div>
        <div className="form-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={isSame}>
            {hasChannel ? 'Move' : 'Rename'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
