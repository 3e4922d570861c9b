import { maxTopicLength } from '@parley/api/message-limits'
import type { Destination } from '@parley/client/session/outbox'
import { useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { channelOfStore } from '../feed/titles.ts'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { Icon } from '../ui/icon.tsx'
import { CompletedField } from './completion/completed-field.tsx'
import { findTopics } from './completion/completion.ts'
import { useSources } from './completion/use-sources.ts'

interface ToLineProps {
  destination: Destination
  needsTopic: boolean
  onTopic: (topic: string) => void
}

/** Where the message goes. In a channel the topic is typed here. */
export function ToLine({ destination, needsTopic, onTopic }: ToLineProps) {
  const store = useSlices('channels', 'users')
  if ('user_ids' in destination)
    return (
      <div className="to-line wide">
        <span className="chip">{namesOf(store, destination.user_ids)}</span>
      </div>
    )
  const { stream_id, topic } = destination
  const channel = channelOfStore(store, stream_id)
  return (
    <div className={needsTopic ? 'to-line' : 'to-line wide'}>
      <span className="chip">
        <Icon name={channel?.invite_only ? 'lock' : 'hash'} size="s" />
        {channel?.name}
      </span>
      <Icon name="chevron-right" size="s" />
      {needsTopic ? (
        <TopicField channelId={stream_id} topic={topic} onTopic={onTopic} />
      ) : (
        <span className="chip">{topicName(topic)}</span>
      )}
    </div>
  )
}

interface TopicFieldProps {
  channelId: number
  topic: string
  isDisabled?: boolean
  onTopic: (topic: string) => void
}

/** A new topic, or one of those the channel has. */
export function TopicField({ channelId, topic, isDisabled, onTopic }: TopicFieldProps) {
  const sources = useSources()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const found = isOpen ? findTopics(sources.topics(channelId), topic).filter((name) => name !== topic) : []
  const suggestions = found.map((name) => ({ label: topicName(name), detail: '', text: name }))
  return (
    <CompletedField
      label={t('common.topic')}
      placeholder={t('common.topic')}
      maxLength={maxTopicLength}
      disabled={isDisabled}
      value={topic}
      length={topic.length}
      suggestions={suggestions}
      onTake={(text) => {
        onTopic(text)
        close()
      }}
      onClose={close}
      onType={(text) => {
        onTopic(text)
        setOpen(text !== '')
      }}
      onBlur={close}
    />
  )
}
