import type { ShownMessage } from '@parley/client/messages/cache'
import { channelOf, type Narrow, narrowKey, narrows, topicOf, usersOf } from '@parley/client/messages/narrow'
import type { Destination } from '@parley/client/session/outbox'
import type { Slices } from '@parley/client/store/store'
import { topicKey } from '@parley/client/store/topics'
import { ParleyError } from '@parley/client/wire/errors'
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ChannelPins } from '../channels/pins.tsx'
import { Composer } from '../compose/composer.tsx'
import { slotOf } from '../compose/drafts/draft-model.ts'
import { draftsOf } from '../compose/drafts/drafts.ts'
import { quoteOf } from '../compose/quote.ts'
import { conversationOf } from '../messages/links.ts'
import { useCommands } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { continueAt } from '../platform/routing.ts'
import { act } from '../session/act.ts'
import { useSession, useStore } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { narrowHash } from '../session/links.ts'
import { toggleMuted } from '../topics/actions.ts'
import { Empty } from '../ui/states.tsx'
import { Feed } from './feed.tsx'
import { Header } from './header.tsx'
import { channelOfStore } from './titles.ts'

const TopicDetails = lazyPart(() => import('../topics/details.tsx').then((one) => one.TopicDetails))

/** A narrow: header, messages, composer. */
export function FeedScreen({ narrow, near }: { narrow: Narrow; near?: number | undefined }) {
  const session = useSession()
  const store = useStore()
  const [insert, setInsert] = useState<{ text: string; at: number }>()
  const destination = useMemo(() => destinationOf(narrow), [narrow])
  const channelId = channelOf(narrow)
  const isChannel = channelId !== undefined && narrow.length === 1
  const isKnown = isKnownNarrow(narrow, store) && !isRefused(session.window(narrow).error)
  const quote = useCallback(
    (message: ShownMessage) => void act(quoteOf(session, message).then((text) => setInsert({ text, at: Date.now() }))),
    [session],
  )
  const topic = topicOf(narrow)
  const details = useDetails()
  useFollowedRename(narrow)
  useMovedMessage(narrow, near)
  useCommands({ muteTopic: () => (topic ? toggleMuted(session, topic) : false) })
  if (!isKnown) return <NoAccess slot={destination ? slotOf(destination) : `channel ${channelId}`} />
  const main = (
    <main className="main">
      <Header narrow={narrow} {...(isChannel && { tab: 'messages' as const })} {...(topic && { details })} />
      {isChannel && <ChannelPins key={channelId} channelId={channelId} />}
      <Feed narrow={narrow} near={near} emptyText={emptyText(narrow)} onQuote={quote} />
      <Composer destination={destination} channelId={channelId} insert={insert} />
    </main>
  )
  return (
    <div className="beside">
      {main}
      {topic && details.isOpen && (
        <Suspense>
          <TopicDetails place={topic} onClose={details.toggle} />
        </Suspense>
      )}
    </div>
  )
}

/** The viewer may have lost access while typing. The draft is still there. */
function NoAccess({ slot }: { slot: string }) {
  const drafts = draftsOf(useSession())
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => link.current?.focus(), [])
  const hasText = (drafts.read(slot)?.text ?? '').trim() !== ''
  return (
    <main className="main">
      <Empty isWholeScreen icon="lock" title={t('feed.noAccess')}>
        {hasText && (
          <a ref={link} className="linkish" href="#drafts">
            {t('feed.textKept')}
          </a>
        )}
      </Empty>
    </main>
  )
}

const detailsKey = 'parley details'

/** Whether details of topics are shown, kept on this device for all topics. */
function useDetails() {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(detailsKey) === 'open' && window.innerWidth >= 1240)
  const toggle = () => {
    localStorage.setItem(detailsKey, isOpen ? 'closed' : 'open')
    setOpen(!isOpen)
  }
  return { isOpen, toggle }
}

function isKnownNarrow(narrow: Narrow, store: Slices<'channels'>): boolean {
  const channelId = channelOf(narrow)
  if (channelId !== undefined) return channelOfStore(store, channelId) !== undefined
  return usersOf(narrow)?.length !== 0
}

/** The server knows a user that the narrow names better than this client, which loads users on demand. */
function isRefused(error: Error | undefined): boolean {
  return error instanceof ParleyError && error.code === 'BAD_NARROW'
}

/** When the whole topic moves away, goes with it, together with what is being typed. */
function useFollowedRename(narrow: Narrow): void {
  const session = useSession()
  useEffect(() => {
    const topic = topicOf(narrow)
    if (!topic) return
    return session.onEvent((event) => {
      if (event.type !== 'update_message' || event.orig_subject === undefined) return
      const isHere = topicKey(event.stream_id!, event.orig_subject) === topicKey(topic.stream_id, topic.topic)
      if (!isHere || session.window(narrow).ids.length > 0) return
      const to = { stream_id: event.new_stream_id ?? event.stream_id!, topic: event.subject ?? event.orig_subject }
      draftsOf(session).move(topicKey(topic.stream_id, topic.topic), to)
      continueAt(narrowHash(narrows.topic(to.stream_id, to.topic), session.store!))
    })
  }, [session, narrow])
}

/**
 * A link to a message that was moved since leads to where the message is now. A link to a direct message names the users
 * that its author sees: for others it is another conversation.
 */
function useMovedMessage(narrow: Narrow, near: number | undefined): void {
  const session = useSession()
  const wasFound = useRef(false)
  const { ids, isLoaded, error } = session.window(narrow)
  wasFound.current ||= near !== undefined && ids.includes(near)
  // A channel that the viewer does not know is never loaded.
  const isKnown = isKnownNarrow(narrow, session.store!)
  const isMissing = !wasFound.current && (isLoaded || error !== undefined || !isKnown)
  useEffect(() => {
    if (near === undefined || !(topicOf(narrow) ?? usersOf(narrow)) || !isMissing) return
    let isOpen = true
    const params = { path: { message_id: near }, allow_empty_topic_name: true }
    session.client.call('getMessage', params).then(
      ({ message }) => {
        const place = conversationOf(message, session.viewerId)
        if (isOpen && narrowKey(place) !== narrowKey(narrow))
          window.location.replace(narrowHash(place, session.store!, near))
      },
      () => {}, // deleted or not visible
    )
    return () => {
      isOpen = false
    }
  }, [session, narrow, near, isMissing])
}

function destinationOf(narrow: Narrow): Destination | undefined {
  const topic = topicOf(narrow.slice(0, 2)) // also where a search shows some of its messages
  if (topic) return topic
  const user_ids = usersOf(narrow)
  return user_ids && { user_ids }
}

function emptyText(narrow: Narrow): string {
  const [term] = narrow
  const isFlag = narrow.length === 1 && term!.operator === 'is' && !term!.negated
  if (isFlag && term!.operand === 'starred') return t('feed.noStarred')
  if (isFlag && term!.operand === 'mentioned') return t('feed.noMentions')
  if (narrow.length === 0) return t('feed.empty')
  return topicOf(narrow) || usersOf(narrow) || (channelOf(narrow) && narrow.length === 1)
    ? t('feed.start')
    : t('feed.notFound')
}
