import type { Destination } from '@parley/client/session/outbox'
import type { Store } from '@parley/client/store/store'
import { useEffect, useState } from 'react'
import { channelOfStore } from '../feed/titles.ts'
import { nameOf } from '../people/presence.ts'
import { list, t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'
import { useSession, useSlices, useStore } from '../session/context.tsx'
import { toggleMuted } from '../topics/actions.ts'
import { Button } from '../ui/button.tsx'
import { mentionsIn, type Warning, warningsOf } from './warnings.ts'

/** Warns above the text, without being in the way of sending. */
export function WarningLines({ text, destination }: { text: string; destination: Destination }) {
  const store = useStore()
  const mentions = mentionsIn(text, store.users)
  const channelId = 'stream_id' in destination && mentions.names.length > 0 ? destination.stream_id : undefined
  const subscribers = useSubscribers(channelId)
  const warnings = warningsOf(text, destination, { store, subscribers, isOpen: isOpen(store, destination) })
  return (
    <div role="status">
      {'stream_id' in destination &&
        warnings.map((warning) => <WarningLine key={warning.kind} warning={warning} destination={destination} />)}
    </div>
  )
}

function isOpen(store: Store, destination: Destination): boolean {
  const channel = 'stream_id' in destination ? channelOfStore(store, destination.stream_id) : undefined
  return channel?.is_web_public === true && store.realm.settings.enable_spectator_access === true
}

/** Requested only when a user is mentioned. */
function useSubscribers(channelId: number | undefined): readonly number[] | undefined {
  const session = useSession()
  const [known, setKnown] = useState<{ channelId: number; subscribers: number[] }>()
  useEffect(() => {
    if (channelId === undefined) return
    const load = () =>
      void session.client
        .call('getChannelMembers', { path: { stream_id: channelId } })
        .then(({ subscribers }) => setKnown({ channelId, subscribers }))
        .catch(() => {}) // without them there are fewer warnings
    load()
    return session.onEvent(({ type }) => type === 'subscription' && load())
  }, [session, channelId])
  return known?.channelId === channelId ? known?.subscribers : undefined
}

type TopicPlace = Extract<Destination, { stream_id: number }>

function WarningLine({ warning, destination }: { warning: Warning; destination: TopicPlace }) {
  const session = useSession()
  const store = useSlices('channels', 'users')
  const { stream_id } = destination
  const channel = store.channels.subscribed.get(stream_id) ?? store.channels.neverSubscribed.get(stream_id)
  const subscribe = (userIds: number[]) =>
    void act(
      session.client.call('subscribe', { subscriptions: [{ name: channel!.name }], principals: userIds }),
      t('warning.subscribed'),
    )
  if (warning.kind === 'resolved') return <p className="warning">{t('warning.resolved')}</p>
  if (warning.kind === 'open') return <p className="warning">{t('warning.open')}</p>
  if (warning.kind === 'wildcard') return <p className="warning">{t('warning.wildcard', { count: warning.count })}</p>
  if (warning.kind === 'muted')
    return (
      <p className="warning">
        {t('warning.muted')}
        <Button look="tiny" onClick={() => toggleMuted(session, destination)}>
          {t('people.unmute')}
        </Button>
      </p>
    )
  const { userIds } = warning
  const names = list(userIds.map((id) => nameOf(store, id)))
  return (
    <p className="warning">
      {t(channel?.invite_only ? 'warning.cannotRead' : 'warning.mayNotSee', { count: userIds.length, names })}
      <Button look="tiny" onClick={() => subscribe(userIds)}>
        {t('warning.subscribe')}
      </Button>
    </p>
  )
}
