import type { Destination } from '@parley/client/outbox'
import { useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useStore } from '../session/context.tsx'
import { Icon } from '../ui/icon.tsx'
import { findTopics } from './completion.ts'
import { useCompletion } from './completion-list.tsx'
import { useSources } from './use-sources.ts'

interface ToLineProps {
  destination: Destination
  needsTopic: boolean
  onTopic: (topic: string) => void
}

/** Where the message goes. In a channel the topic is typed here. */
export function ToLine({ destination, needsTopic, onTopic }: ToLineProps) {
  const store = useStore()
  if ('user_ids' in destination) return <div className="to-line wide">{namesOf(store, destination.user_ids)}</div>
  const { stream_id, topic } = destination
  const channel = store.channels.subscribed.get(stream_id)
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
  onTopic: (topic: string) => void
}

/** A new topic, or one of those the channel has. */
export function TopicField({ channelId, topic, onTopic }: TopicFieldProps) {
  const sources = useSources()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const found = isOpen ? findTopics(sources.topics(channelId), topic).filter((name) => name !== topic) : []
  const suggestions = found.map((name) => ({ label: topicName(name), detail: '', text: name }))
  const completion = useCompletion(
    suggestions,
    ({ text }) => {
      onTopic(text)
      close()
    },
    close,
  )
  return (
    <span className="topic-slot">
      {completion.list}
      <input
        className="topic-input"
        aria-label={t('common.topic')}
        placeholder={t('common.topic')}
        autoComplete="off"
        maxLength={60}
        value={topic}
        {...completion.fieldProps}
        onChange={({ target }) => {
          onTopic(target.value)
          setOpen(target.value !== '')
          completion.reset()
        }}
        onBlur={close}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key !== 'Tab' || isOpen) completion.pressed(event)
        }}
      />
    </span>
  )
}
