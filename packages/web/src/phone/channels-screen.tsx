import { topicKey } from '@parley/client/store/topics'
import { useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { useMayCreateChannel } from '../permissions/use-may.ts'
import { t } from '../platform/i18n.ts'
import { useStore } from '../session/context.tsx'
import { topicsHash } from '../session/links.ts'
import { ChannelLine, TopicLine } from '../sidebar/items.tsx'
import { type ChannelEntry, channelSections } from '../sidebar/model.ts'
import { Icon } from '../ui/icon.tsx'
import { Screen } from '../ui/screen.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty } from '../ui/states.tsx'
import './phone.css'

/** The viewer's channels, each with its unread topics, as the sidebar shows them. */
export function PhoneChannels() {
  const store = useStore()
  const [query, setQuery] = useState('')
  const mayCreate = useMayCreateChannel()
  const sections = channelSections(store)
    .map((section) => ({ ...section, channels: section.channels.filter((one) => matches(one, query)) }))
    .filter(({ channels }) => channels.length > 0)
  return (
    <Screen
      title={t('nav.channels')}
      end={
        mayCreate && (
          <a className="btn square" href="#channels/new" aria-label={t('channel.new')}>
            <Icon name="plus" />
          </a>
        )
      }
    >
      <div className="phone-list">
        <SearchField label={t('channel.filterAll')} look="filter-input whole" value={query} onChange={setQuery} />
        {sections.map(({ key, name, channels }) => (
          <section key={key} aria-label={name}>
            <h2>{name}</h2>
            {channels.map((channel) => (
              <PhoneChannel key={channel.id} channel={channel} />
            ))}
          </section>
        ))}
        {sections.length === 0 && <Empty icon="hash" title={t('channel.noneNamed')} />}
        <a className="item quiet" href="#channels/all">
          <Icon name="plus" />
          <span className="name">{t('sidebar.browse')}</span>
        </a>
      </div>
    </Screen>
  )
}

function matches({ name, topics }: ChannelEntry, query: string): boolean {
  const text = query.trim().toLowerCase()
  return [name, ...topics.map(({ topic }) => topicName(topic))].some((one) => one.toLowerCase().includes(text))
}

function PhoneChannel({ channel }: { channel: ChannelEntry }) {
  const store = useStore()
  const topics = channel.isMuted ? [] : channel.topics.filter(({ topic }) => !store.topics.isMuted(channel.id, topic))
  return (
    <>
      <ChannelLine channel={channel} store={store} isUnfolded={topics.length > 0} />
      {topics.length > 0 && (
        <div className="topics">
          {topics.map((entry) => (
            <TopicLine
              key={topicKey(channel.id, entry.topic)}
              channel={channel}
              store={store}
              name={entry.topic}
              entry={entry}
            />
          ))}
          <a className="more" href={topicsHash(channel.id, store)}>
            {t('channel.allTopics')}
          </a>
        </div>
      )}
    </>
  )
}
