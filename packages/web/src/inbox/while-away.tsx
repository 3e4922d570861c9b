import { narrows } from '@parley/client/messages/narrow'
import type { AwayItem } from '@parley/client/session/while-away'
import type { Slices } from '@parley/client/store/store'
import { useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { namesOf } from '../people/presence.ts'
import { rich, t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { narrowOf } from './model.ts'

const shownAtOnce = 5

/** What others did before the viewer came back, above the inbox; nothing if there is nothing to say. */
export function WhileAwayCard() {
  const { whileAway, changes } = useSession()
  const store = useStore()
  const [isWhole, setWhole] = useState(false)
  const { items } = whileAway
  if (items.length === 0) return null
  const shown = isWhole ? items : items.slice(0, shownAtOnce)
  const dismiss = () => {
    whileAway.clear()
    changes.changed()
  }
  return (
    <section className="while-away" aria-label={t('away.title')}>
      <header>
        <h2>{t('away.title')}</h2>
        <IconButton label={t('away.dismiss')} icon="x" look="tiny" onClick={dismiss} />
      </header>
      <ul>
        {shown.map((item) => (
          <li key={keyOf(item)}>
            <Icon name={icons[item.kind]} size="s" />
            <a href={hashOf(item, store)}>{textOf(item, store)}</a>
          </li>
        ))}
      </ul>
      {shown.length < items.length && (
        <Button look="outline" onClick={() => setWhole(true)}>
          {t('away.more', { count: items.length - shown.length })}
        </Button>
      )}
    </section>
  )
}

const icons: Record<AwayItem['kind'], IconName> = {
  moved: 'pencil-line',
  resolved: 'circle-check',
  unresolved: 'circle',
  'channel renamed': 'hash',
  question: 'message-circle',
}

function keyOf(item: AwayItem): string {
  return `${item.kind} ${'to' in item ? JSON.stringify(item.to) : item.stream_id}`
}

function hashOf(item: AwayItem, store: Slices<'channels'>): string {
  return narrowHash('to' in item ? narrowOf({ place: item.to }) : narrows.channel(item.stream_id), store)
}

function textOf(item: AwayItem, store: Slices<'channels' | 'users'>) {
  if (item.kind === 'channel renamed')
    return rich('away.channelRenamed', { before: item.name, after: channelName(item.stream_id, store), b })
  const who = item.by === null ? t('away.someone') : namesOf(store, [item.by])
  if (item.kind === 'question')
    return isPrivate(item.to)
      ? t('away.asked', { who })
      : rich('away.question', { who, where: placeName(item.to, store), b })
  const topic = topicName(item.to.topic)
  if (item.kind !== 'moved')
    return rich(item.kind === 'resolved' ? 'away.resolved' : 'away.unresolved', { who, topic, b })
  const before = topicName(item.from.topic)
  if (item.from.stream_id === item.to.stream_id) return rich('away.renamed', { who, before, after: topic, b })
  return rich('away.moved', { who, topic: before, after: `${channelName(item.to.stream_id, store)} › ${topic}`, b })
}

/** Between two people, so that who asked says where. */
function isPrivate(place: Extract<AwayItem, { kind: 'question' }>['to']): boolean {
  return 'user_ids' in place && place.user_ids.length === 1
}

function b(text: React.ReactNode) {
  return <b>{text}</b>
}

function channelName(id: number, store: Slices<'channels'>): string {
  return store.channels.subscribed.get(id)?.name ?? ''
}

function placeName(place: Extract<AwayItem, { kind: 'question' }>['to'], store: Slices<'users'>): string {
  return 'stream_id' in place ? topicName(place.topic) : namesOf(store, place.user_ids)
}
