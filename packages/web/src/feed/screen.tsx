import type { ShownMessage } from '@parley/client/messages/cache'
import { channelOf, type Narrow, narrows, topicOf, usersOf } from '@parley/client/narrow'
import type { Destination } from '@parley/client/outbox'
import { useMemo, useState } from 'react'
import { Composer } from '../compose/composer.tsx'
import { quoteOf } from '../compose/quote.ts'
import { setTopicPolicy, toggleResolved } from '../messages/actions.ts'
import { namesOf } from '../people/presence.ts'
import { goTo } from '../platform/routing.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { topicName } from '../sidebar/sidebar.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty } from '../ui/states.tsx'
import { Feed } from './feed.tsx'

/** A narrow: header, messages, composer. */
export function FeedScreen({ narrow, near }: { narrow: Narrow; near?: number | undefined }) {
  const session = useSession()
  const store = useStore()
  const [insert, setInsert] = useState<{ text: string; at: number }>()
  const destination = useMemo(() => destinationOf(narrow), [narrow])
  const channelId = channelOf(narrow)
  const isKnown = channelId === undefined || channelOfStore(store, channelId) !== undefined
  const quote = async (message: ShownMessage) => setInsert({ text: await quoteOf(session, message), at: Date.now() })
  if (!isKnown)
    return (
      <main className="main">
        <Empty isWholeScreen icon="lock" title="This conversation doesn't exist or you don't have access." />
      </main>
    )
  return (
    <main className="main">
      <Header narrow={narrow} />
      <Feed narrow={narrow} near={near} emptyText={emptyText(narrow)} onQuote={(message) => void quote(message)} />
      <Composer destination={destination} channelId={channelId} insert={insert} />
    </main>
  )
}

function channelOfStore({ channels }: ReturnType<typeof useStore>, id: number) {
  return channels.subscribed.get(id) ?? channels.neverSubscribed.get(id) ?? channels.left.get(id)
}

function destinationOf(narrow: Narrow): Destination | undefined {
  const topic = topicOf(narrow)
  if (topic) return topic
  const user_ids = usersOf(narrow)
  return user_ids && { user_ids }
}

function emptyText(narrow: Narrow): string {
  const [term] = narrow
  if (term?.operator === 'is' && term.operand === 'starred') return 'You have not starred any messages.'
  if (term?.operator === 'is' && term.operand === 'mentioned') return 'Nobody has mentioned you yet.'
  if (narrow.some(({ operator }) => operator === 'search')) return 'Nothing found. Try shorter words or another place.'
  return 'Nothing here yet. Say what this is about.'
}

function Header({ narrow }: { narrow: Narrow }) {
  const store = useStore()
  const channelId = channelOf(narrow)
  const channel = channelId === undefined ? undefined : channelOfStore(store, channelId)
  const color = store.channels.subscribed.get(channelId ?? -1)?.color
  return (
    <header className="bar" style={{ '--channel': color } as React.CSSProperties}>
      <IconButton label="Back" icon="chevron-left" look="back" onClick={() => goTo('#inbox')} />
      <div className="two">
        {channel && channelId !== undefined && topicOf(narrow) && (
          <>
            <a className="crumb" href={narrowHash(narrows.channel(channelId), store)}>
              <Icon name={channel.invite_only ? 'lock' : 'hash'} />
              {channel.name}
            </a>
            <span className="sep crumb">
              <Icon name="chevron-right" size="s" flip />
            </span>
          </>
        )}
        <h1>{titleOf(narrow, store)}</h1>
        {channel && !topicOf(narrow) && <span className="about wide">{channel.description}</span>}
      </div>
      <TopicActions narrow={narrow} />
    </header>
  )
}

/** The name of a narrow, for headings and the title of the window. */
export function titleOf(narrow: Narrow, store: ReturnType<typeof useStore>): string {
  const topic = topicOf(narrow)
  if (topic) return topicName(topic.topic)
  const users = usersOf(narrow)
  if (users) return namesOf(store, users)
  const channelId = channelOf(narrow)
  if (channelId !== undefined && narrow.length === 1) return channelOfStore(store, channelId)?.name ?? 'Unknown channel'
  const [term] = narrow
  if (!term) return 'All messages'
  if (term.operator === 'is')
    return term.operand === 'mentioned' ? 'Mentions' : term.operand === 'starred' ? 'Starred' : String(term.operand)
  return narrow
    .map(({ operator, operand }) => (operator === 'search' ? String(operand) : `${operator}: ${operand}`))
    .join(' ')
}

const followed = 3

function TopicActions({ narrow }: { narrow: Narrow }) {
  const session = useSession()
  const store = useStore()
  const topic = topicOf(narrow)
  if (!topic) return null
  const { stream_id, topic: name } = topic
  const isResolved = name.startsWith('✔ ')
  const policy = store.topics.policyOf(stream_id, name)
  const last = session.window(narrow).ids.findLast((id) => Number.isInteger(id))
  return (
    <div className="end">
      <Button
        look={policy === followed ? 'on wide' : 'outline wide'}
        icon="bell-ring"
        aria-pressed={policy === followed}
        onClick={() => setTopicPolicy(session, stream_id, name, policy === followed ? 0 : followed)}
      >
        {policy === followed ? 'Following' : 'Follow'}
      </Button>
      <Button
        look="outline wide"
        icon="check"
        disabled={last === undefined}
        onClick={() => last !== undefined && toggleResolved(session, last, name)}
      >
        {isResolved ? 'Reopen' : 'Resolve'}
      </Button>
    </div>
  )
}
