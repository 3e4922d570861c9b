import { type FormEvent, useState } from 'react'
import { ChannelField } from '../compose/channel-field.tsx'
import { TopicField } from '../compose/to-line.tsx'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { moveTopic } from './actions.ts'
import { moveTargets, type TopicPlace } from './moving.ts'

interface TopicDialogProps {
  place: TopicPlace
  /** Also asks for the channel. */
  hasChannel: boolean
  onClose: () => void
}

/** Renames a topic, or moves it to another channel. */
export function TopicDialog({ place, hasChannel, onClose }: TopicDialogProps) {
  const session = useSession()
  const targets = moveTargets(useSlices('channels', 'viewer'), place.stream_id)
  const [topic, setTopic] = useState(place.topic)
  const [channelId, setChannelId] = useState(place.stream_id)
  const to = { stream_id: channelId, topic: topic.trim() }
  const isSame = to.topic === place.topic && channelId === place.stream_id
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isSame) return
    void moveTopic(session, place, to, hasChannel ? t('topic.said.moved') : t('topic.said.renamed'))
    onClose()
  }
  return (
    <Dialog title={hasChannel ? t('topic.moveTitle') : t('topic.renameTitle')} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {hasChannel && (
          <div className="topic-field">
            {t('common.channel')}
            <ChannelField channels={targets} channelId={channelId} onChannel={setChannelId} />
          </div>
        )}
        <div className="topic-field">
          {t('common.topic')}
          <TopicField channelId={channelId} topic={topic} onTopic={setTopic} />
        </div>
        <div className="form-end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" disabled={isSame}>
            {hasChannel ? t('move.move') : t('topic.rename')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
