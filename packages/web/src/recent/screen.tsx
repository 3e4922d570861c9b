import { type ConversationFilter, ConversationList } from '@parley/client/messages/conversation-list'
import type { Session } from '@parley/client/session/session'
import { useEffect, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { Faces } from '../people/avatar.tsx'
import { useCommands } from '../platform/commands.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'
import { useRetryOnline, useSession, useSlices } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Segments } from '../ui/segments.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'
import { type RecentRow, recentRows } from './model.ts'
import './recent.css'

const filters: [ConversationFilter, label: PlainId, empty: PlainId][] = [
  ['all', 'recent.all', 'recent.all.empty'],
  ['unread', 'recent.unread', 'inbox.empty'],
  ['participated', 'recent.participated', 'recent.participated.empty'],
  ['followed', 'recent.followed', 'recent.followed.empty'],
]

/** Every conversation the viewer can read, the newest first. */
export function RecentScreen() {
  const session = useSession()
  const store = useSlices('channels', 'mutedUsers', 'topics', 'unread', 'users')
  const [filter, setFilter] = useState<ConversationFilter>('all')
  const [query, setQuery] = useState('')
  const list = useConversations(session, filter)
  useRetryOnline(list.error !== undefined && !list.isLoaded, () => void list.reload())
  const rows = recentRows(store, list.entries, session.viewerId, query)
  const [, , emptyText] = filters.find(([name]) => name === filter)!
  useEffect(() => {
    if (query !== '' && rows.length < enoughFound && !list.error) void list.loadMore()
  })
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>{t('recent.title')}</h1>
        </div>
        <div className="end">
          <SearchField label={t('recent.filter')} hint={t('common.filter')} value={query} onChange={setQuery} />
        </div>
      </header>
      <section className="list recent" aria-label={t('nav.conversations')}>
        <div className="filters">
          <Segments
            label={t('recent.show')}
            options={filters.map(([name, label]) => [name, t(label)] as const)}
            value={filter}
            onChange={setFilter}
          />
        </div>
        {list.error && !list.isLoaded && <Failure error={list.error} onRetry={() => void list.reload()} />}
        {!list.isLoaded && !list.error && <Skeleton />}
        {list.isLoaded && rows.length === 0 && list.isComplete && (
          <Empty icon="clock" title={query === '' ? t(emptyText) : t('recent.noMatch')}>
            <a className="linkish" href="#channels">
              {t('recent.start')}
            </a>
          </Empty>
        )}
        {rows.length > 0 && <Rows key={filter} rows={rows} list={list} />}
      </section>
    </main>
  )
}

/** While the viewer filters by text, more is loaded until this many are found. */
const enoughFound = 30
/** Loads more when fewer rows than this are left below. */
const rowsAhead = 20

const kept = new WeakMap<object, Map<ConversationFilter, ConversationList>>()

/** The list of a filter. It is kept while other screens are shown, and brought up to date when it is shown again. */
function useConversations(session: Session, filter: ConversationFilter): ConversationList {
  const lists = kept.get(session) ?? new Map<ConversationFilter, ConversationList>()
  kept.set(session, lists)
  const list = lists.get(filter) ?? new ConversationList(filter, session)
  lists.set(filter, list)
  const { store, connection } = session
  useEffect(() => {
    if (connection === 'online' && store) void list.reload()
    return session.onEvent((event) => list.apply(event))
  }, [session, list, store, connection])
  return list
}

function Rows({ rows, list }: { rows: readonly RecentRow[]; list: ConversationList }) {
  const view = useRef<VListHandle>(null)
  const [chosenKey, setChosenKey] = useState<string>()
  const more = () => {
    const { scrollOffset, viewportSize } = view.current!
    if (view.current!.findItemIndex(scrollOffset + viewportSize) > rows.length - rowsAhead) void list.loadMore()
  }
  const choose = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)]!
    setChosenKey(row.key)
    view.current?.scrollToIndex(rows.indexOf(row), { align: 'nearest' })
    requestAnimationFrame(() => document.getElementById(rowId(row.key))?.focus())
  }
  const chosen = rows.findIndex(({ key }) => key === chosenKey)
  useCommands({
    next: () => choose(chosen + 1),
    previous: () => choose(chosen - 1),
    first: () => choose(0),
    last: () => choose(rows.length - 1),
  })
  return (
    <VList ref={view} className="recent-rows" onScroll={more}>
      {rows.map((row) => (
        <Row key={row.key} row={row} onFocus={() => setChosenKey(row.key)} />
      ))}
      {!list.isComplete || list.error ? (
        <p className="recent-end" role="status">
          {list.error ? (
            <Button look="outline" icon="refresh" onClick={() => void list.loadMore()}>
              {t('recent.moreFailed')}
            </Button>
          ) : (
            t('common.loadingMore')
          )}
        </p>
      ) : (
        <p className="recent-end">{t('recent.end')}</p>
      )}
    </VList>
  )
}

function rowId(key: string): string {
  return `recent ${key}`.replaceAll(/\s/g, '-')
}

function Row({ row, onFocus }: { row: RecentRow; onFocus: () => void }) {
  const store = useSlices('channels')
  const { channel } = row
  return (
    <a
      id={rowId(row.key)}
      className={`conv ${row.isMuted ? 'muted' : ''} ${row.unread > 0 ? 'unread' : ''}`}
      href={narrowHash(row.narrow, store)}
      style={{ '--channel': channel?.color }}
      onFocus={onFocus}
    >
      <Faces userIds={row.participants} most={3} size="md" />
      <div className="title">
        <b>{row.title}</b>
        {row.isResolved && <Mark icon="check" label={t('topic.resolved')} />}
        {row.isFollowed && <Mark icon="bell" label={t('topic.followed')} />}
        {row.isMuted && <Mark icon="eye-off" label={t('topic.muted')} />}
        {channel && (
          <span className="tag">
            <Icon name={channel.isPrivate ? 'lock' : 'hash'} size="s" />
            {channel.name}
          </span>
        )}
      </div>
      <time>{shortTime(row.timestamp)}</time>
      <p dir="auto">
        <b>{row.speaker}</b> {row.text}
      </p>
      <div className="end">
        {row.hasMention && <span className="pill at">@</span>}
        {row.unread > 0 && <span className={`pill ${row.isMuted ? 'quiet' : ''}`}>{row.unread}</span>}
      </div>
    </a>
  )
}

function Mark({ icon, label }: { icon: IconName; label: string }) {
  return (
    <span className="mark" role="img" aria-label={label} title={label}>
      <Icon name={icon} size="s" />
    </span>
  )
}
