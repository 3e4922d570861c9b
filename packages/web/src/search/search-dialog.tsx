import type { ShownMessage } from '@parley/client/messages/cache'
import { type Narrow, type NarrowTerm, narrowKey, narrows, othersOf } from '@parley/client/messages/narrow'
import { useEffect, useMemo, useRef, useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { termText } from '../feed/titles.ts'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { listStep } from '../platform/keys.ts'
import { goTo } from '../platform/routing.ts'
import { shortTime } from '../platform/times.ts'
import { plainText } from '../rendered/plain-text.ts'
import { useSession, useSlices, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Options } from '../ui/options.tsx'
import { Screen } from '../ui/screen.tsx'
import { Failure } from '../ui/states.tsx'
import {
  excerpt,
  knownTopics,
  localMatches,
  narrowOf,
  type Suggestion,
  suggestTerms,
  takeTerms,
  wordsOf,
} from './query.ts'
import '../phone/phone.css'
import './search.css'

interface SearchProps {
  /** What the search is limited to at first: the conversation that is open. */
  start: Narrow
  onLeave?: () => void
}

export function SearchDialog({ start, onClose }: { start: Narrow; onClose: () => void }) {
  return (
    <Dialog title={t('search.title')} onClose={onClose} look="palette search">
      <Search start={start} onLeave={onClose} />
    </Dialog>
  )
}

/** A tab of phones. */
export function SearchScreen() {
  return (
    <Screen title={t('keys.searchShort')}>
      <div className="search-screen palette search">
        <Search start={[]} />
      </div>
    </Screen>
  )
}

/** Searches messages while the user types. */
function Search({ start, onLeave }: SearchProps) {
  const session = useSession()
  const store = useStore()
  const [terms, setTerms] = useState<Narrow>(start)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const narrow = useMemo(() => narrowOf(terms, text), [terms, text])
  const { messages, ...search } = useResults(terms, text)
  const all = session.messages.byId.values()
  const suggestions = suggestTerms(text, store, knownTopics(all, terms))
  const type = (typed: string) => {
    const taken = takeTerms(typed, store)
    setTerms([...terms, ...taken.terms])
    setText(taken.text)
    setChosen(0)
  }
  const complete = (suggestion: Suggestion) => {
    if (suggestion.term) setTerms([...terms, suggestion.term])
    setText(suggestion.text)
    setChosen(0)
  }
  const limitTo = (next: Narrow) => {
    setTerms(next)
    setChosen(0)
    field.current?.focus()
  }
  const leave = (hash: string) => {
    onLeave?.()
    goTo(hash)
  }
  const rows = [
    ...suggestions.map((one) => ({ key: one.label, onPick: () => complete(one), content: <Completion {...one} /> })),
    ...(narrow.length > 0
      ? [{ key: 'all', onPick: () => leave(narrowHash(narrow, store)), content: <ShowAll /> }]
      : []),
    ...messages.map((message) => ({
      key: String(message.id),
      onPick: () => leave(narrowHash(conversationOf(message, session.viewerId), store, message.id)),
      content: <Found message={message} words={wordsOf(text)} />,
    })),
  ]
  return (
    <>
      <Chips terms={terms} onRemove={(term) => limitTo(terms.filter((one) => one !== term))} />
      <input
        ref={field}
        type="search"
        role="combobox"
        aria-expanded={rows.length > 0}
        aria-controls="search-list"
        aria-activedescendant={rows.length > 0 ? `search-list-${chosen}` : undefined}
        aria-label={t('search.title')}
        placeholder={t('search.placeholder')}
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.nativeEvent.isComposing) return
          const step = listStep(event.key)
          if (step !== undefined) {
            event.preventDefault()
            setChosen((chosen + step + rows.length) % Math.max(1, rows.length))
          }
          if (event.key === 'Enter') rows[chosen]?.onPick()
          if (event.key === 'Backspace' && text === '') setTerms(terms.slice(0, -1))
        }}
      />
      <Options id="search-list" label={t('palette.results')} chosen={chosen} options={rows} />
      <Outcome
        {...search}
        isEmpty={narrow.length > 0 && messages.length === 0}
        onEverywhere={terms.length > 0 ? () => limitTo([]) : undefined}
      />
    </>
  )
}

function Chips({ terms, onRemove }: { terms: Narrow; onRemove: (term: NarrowTerm) => void }) {
  const store = useSlices('channels', 'users')
  if (terms.length === 0) return null
  return (
    <div className="chips">
      {terms.map((term) => {
        const label = termText(term, store)
        return (
          <span key={label} className="chip">
            {label}
            <IconButton
              label={t('common.removeName', { name: label })}
              icon="x"
              look="tiny"
              onClick={() => onRemove(term)}
            />
          </span>
        )
      })}
    </div>
  )
}

function Completion({ label, detail }: Suggestion) {
  return (
    <>
      <Icon name="plus" size="s" />
      <b>{label}</b>
      <span>{detail}</span>
    </>
  )
}

function ShowAll() {
  return (
    <>
      <Icon name="search" size="s" />
      <b>{t('search.all')}</b>
    </>
  )
}

function Found({ message, words }: { message: ShownMessage; words: string[] }) {
  const store = useSlices('users')
  const { viewerId } = useSession()
  const where =
    message.type === 'stream'
      ? `#${String(message.display_recipient)} › ${topicName(message.subject)}`
      : namesOf(store, othersOf(message, viewerId))
  return (
    <div className="found">
      <b>{message.sender_full_name}</b> <span>{where}</span> <time>{shortTime(message.timestamp)}</time>
      <p dir="auto">
        {excerpt(plainText(message.content, 10_000), words).map(({ text, isFound }, index) =>
          isFound ? <mark key={index}>{text}</mark> : text,
        )}
      </p>
    </div>
  )
}

interface OutcomeProps {
  isSearching: boolean
  isEmpty: boolean
  error: Error | undefined
  onRetry: () => void
  onEverywhere: (() => void) | undefined
}

function Outcome({ isSearching, isEmpty, error, onRetry, onEverywhere }: OutcomeProps) {
  if (error) return <Failure error={error} onRetry={onRetry} />
  return (
    <div role="status" className="search-status">
      {isSearching && t('search.searching')}
      {isEmpty && !isSearching && (
        <>
          {t('search.none')} {onEverywhere && <Button onClick={onEverywhere}>{t('search.everywhere')}</Button>}
        </>
      )}
    </div>
  )
}

function conversationOf(message: ShownMessage, viewerId: number): Narrow {
  return message.type === 'stream'
    ? narrows.topic(message.stream_id!, message.subject)
    : narrows.direct(othersOf(message, viewerId))
}

const pause = 120
const batch = 20

interface Answer {
  key: string
  messages: ShownMessage[]
  error?: Error
}

/** What the client has, and after a pause in typing what the server finds. An outdated search is cancelled. */
function useResults(terms: Narrow, text: string) {
  const session = useSession()
  const [attempt, setAttempt] = useState(0)
  const [answer, setAnswer] = useState<Answer>()
  const narrow = narrowOf(terms, text)
  const key = narrowKey(narrow)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the narrow.
  useEffect(() => {
    if (narrow.length === 0) return
    const stale = new AbortController()
    const search = () =>
      session.client
        .call(
          'getMessages',
          {
            narrow: narrow.map((term) => ({ ...term })),
            anchor: 'newest',
            num_before: batch,
            num_after: 0,
            allow_empty_topic_name: true,
            client_gravatar: true,
          },
          { signal: stale.signal },
        )
        .then(({ messages }) => setAnswer({ key, messages: messages.toReversed() }))
        .catch((error: Error) => stale.signal.aborted || setAnswer({ key, messages: [], error }))
    const timer = setTimeout(() => void search(), pause)
    return () => {
      clearTimeout(timer)
      stale.abort()
    }
  }, [key, attempt, session])
  const local = narrow.length === 0 ? [] : localMatches(session.messages.byId.values(), terms, text, session.viewerId)
  const isAnswered = answer?.key === key
  const others = isAnswered ? answer.messages.filter(({ id }) => !local.some((one) => one.id === id)) : []
  return {
    messages: [...local, ...others],
    isSearching: narrow.length > 0 && !isAnswered,
    error: isAnswered ? answer.error : undefined,
    onRetry: () => setAttempt(attempt + 1),
  }
}
