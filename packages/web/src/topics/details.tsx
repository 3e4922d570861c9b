import { narrows } from '@parley/client/messages/narrow'
import { useMemo } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { PersonButton } from '../people/person-button.tsx'
import { isOnline, nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { dayName, shortTime } from '../platform/times.ts'
import { useSession, useSlices, useStore } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { detailsOf, type Reference } from './details-model.ts'
import type { TopicPlace } from './undo-steps.ts'

const roomForPanel = 1240

interface DetailsProps {
  place: TopicPlace
  onClose: () => void
}

/** Who takes part in a topic and what was shared: beside it, or above it where there is no room. */
export function TopicDetails({ place, onClose }: DetailsProps) {
  const title = t('topic.about')
  if (window.innerWidth < roomForPanel)
    return (
      <Dialog title={title} onClose={onClose} look="details">
        <Contents place={place} />
      </Dialog>
    )
  return (
    <aside className="panel" aria-label={title}>
      <div className="bar">
        <b>{title}</b>
        <span className="end">
          <IconButton label={t('common.close')} icon="x" onClick={onClose} />
        </span>
      </div>
      <Contents place={place} />
    </aside>
  )
}

/** The latest messages of the topic and its first one. */
function useTopic({ stream_id, topic }: TopicPlace) {
  const { client } = useSession()
  const { newest } = useSlices('conversations').conversations
  const narrow = narrows.topic(stream_id, topic).map((term) => ({ ...term }))
  const load = (anchor: 'newest' | 'oldest', num_before: number, num_after: number) =>
    client.call('getMessages', {
      narrow,
      num_before,
      num_after,
      anchor: anchor,
      allow_empty_topic_name: true,
      client_gravatar: true,
    })
  return useLoaded(() => Promise.all([load('newest', 400, 0), load('oldest', 0, 1)]), stream_id, topic, newest)
}

type Topic = NonNullable<ReturnType<typeof useTopic>['value']>

function Contents({ place }: { place: TopicPlace }) {
  return <Loaded of={useTopic(place)}>{(topic) => <Facts topic={topic} />}</Loaded>
}

function Facts({ topic: [{ messages, found_oldest: isWhole }, oldest] }: { topic: Topic }) {
  const store = useStore()
  const details = useMemo(() => detailsOf(messages), [messages])
  const [first] = oldest.messages
  return (
    <>
      <section>
        <h2>
          {t('details.people')} <span>{details.people.length}</span>
        </h2>
        {details.people.map((id) => (
          <div key={id} className="person">
            <PresentAvatar userId={id} size="md" />
            <div className="who">
              <PersonButton userId={id} name={nameOf(store, id)} />
              <span>{statusOf(store, id)}</span>
            </div>
          </div>
        ))}
      </section>
      <References title={t('details.files')} references={details.files} />
      <References title={t('details.links')} references={details.links} />
      <section>
        <h2>{t('common.topic')}</h2>
        <dl className="facts">
          {first && (
            <>
              <dt>{t('details.started')}</dt>
              <dd>{t('details.startedBy', { day: dayName(first.timestamp), name: first.sender_full_name })}</dd>
            </>
          )}
          <dt>{t('feed.messages')}</dt>
          <dd>{isWhole ? messages.length : t('details.moreThan', { count: messages.length })}</dd>
        </dl>
      </section>
    </>
  )
}

function statusOf(store: ReturnType<typeof useStore>, id: number): string {
  const status = store.statuses.byUser.get(id)?.status_text
  return status || (isOnline(store, id) ? t('details.active') : t('people.offline'))
}

function References({ title: heading, references }: { title: string; references: readonly Reference[] }) {
  if (references.length === 0) return null
  return (
    <section>
      <h2>
        {heading} <span>{references.length}</span>
      </h2>
      {references.map(({ url, name, kind, message }) => (
        <a key={url} className="file" href={url} target="_blank" rel="noopener noreferrer">
          <span className="thumb">
            <Icon name={kind === 'image' ? 'image' : kind === 'file' ? 'file-text' : 'link'} />
          </span>
          <div>
            <b>{name}</b>
            <span>
              {message.sender_full_name}, {shortTime(message.timestamp)}
            </span>
          </div>
        </a>
      ))}
    </section>
  )
}
