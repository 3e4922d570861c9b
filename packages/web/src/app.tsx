import { lookup } from '@parley/api/lookup'
import { type Narrow, narrows, topicOf, usersOf } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'
import type { Slices } from '@parley/client/store/store'
import { topicKey } from '@parley/client/store/topics'
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { draftsOf } from './compose/drafts/drafts.ts'
import { focusComposer } from './compose/focus.ts'
import type { NewMessageKind } from './compose/new-message.tsx'
import { FeedScreen } from './feed/screen.tsx'
import { titleOf } from './feed/titles.ts'
import { nextUnread } from './inbox/model.ts'
import { InboxScreen } from './inbox/screen.tsx'
import { NotificationBar } from './notify/bar.tsx'
import { useWindowTitle } from './notify/window-title.ts'
import { Tabs } from './phone/tabs.tsx'
import { useCommands, useKeys } from './platform/commands.ts'
import { type PlainId, t } from './platform/i18n.ts'
import { useIsPhone } from './platform/phone.ts'
import { whenQuiet } from './platform/quiet.ts'
import { goTo, screenKey, useHash } from './platform/routing.ts'
import { takeSharedText } from './platform/shared-text.ts'
import { chooseLook } from './platform/theme.ts'
import { setPlaygrounds } from './rendered/playgrounds.ts'
import { accountIn } from './session/account.ts'
import { ConnectionBar } from './session/connection-bar.tsx'
import { useChanges, useSession, useStore } from './session/context.tsx'
import { deleteTexts } from './session/kept-texts.ts'
import { loadLater } from './session/later.ts'
import { earlyPart, lazyPart } from './session/lazy-part.tsx'
import { canonicalHash, narrowHash, parseFiles, parseNarrow, parseTopics, shownNarrow } from './session/links.ts'
import { loadOnline } from './session/load-online.ts'
import { lookOf } from './session/look.ts'
import { Sidebar } from './sidebar/sidebar.tsx'
import { Empty, Skeleton } from './ui/states.tsx'
import { showToast, Toasts, undoLast } from './ui/toast.tsx'

const EmailBar = earlyPart(() => import('./notify/email-bar.tsx').then((one) => one.EmailBar))
const RecentScreen = lazyPart(() => import('./recent/screen.tsx').then((one) => one.RecentScreen))
const SettingsScreen = lazyPart(() => import('./organization/screen.tsx').then((one) => one.SettingsScreen))
const ChannelsScreen = lazyPart(() => import('./settings/channels/channels.tsx').then((one) => one.ChannelsScreen))
const DraftsScreen = lazyPart(() => import('./compose/drafts/drafts-screen.tsx').then((one) => one.DraftsScreen))
const ScheduledScreen = lazyPart(() =>
  import('./compose/scheduled/scheduled-screen.tsx').then((one) => one.ScheduledScreen),
)
const TopicsScreen = lazyPart(() => import('./channels/topics-screen.tsx').then((one) => one.TopicsScreen))
const FilesScreen = lazyPart(() => import('./channels/files-screen.tsx').then((one) => one.FilesScreen))
const KeysDialog = lazyPart(() => import('./help/keys-dialog.tsx').then((one) => one.KeysDialog))
const NewMessage = lazyPart(() => import('./compose/new-message.tsx').then((one) => one.NewMessage))
const SearchDialog = lazyPart(() => import('./search/search-dialog.tsx').then((one) => one.SearchDialog))
const SearchScreen = lazyPart(() => import('./search/search-dialog.tsx').then((one) => one.SearchScreen))
const PhoneChannels = lazyPart(() => import('./phone/channels-screen.tsx').then((one) => one.PhoneChannels))
const DirectScreen = lazyPart(() => import('./phone/direct-screen.tsx').then((one) => one.DirectScreen))
const YouScreen = lazyPart(() => import('./phone/you-screen.tsx').then((one) => one.YouScreen))
const DateDialog = lazyPart(() => import('./search/date-dialog.tsx').then((one) => one.DateDialog))
const VisitorApp = lazyPart(() => import('./visit/visitor-app.tsx').then((one) => one.VisitorApp))
const Palette = lazyPart(() => import('./palette/palette.tsx').then((one) => one.Palette))

/** The whole client, once signed in. */
export function App() {
  useChanges()
  const session = useSession()
  if (session.connection === 'signed out') return <SignedOut wasSignedIn={session.store !== undefined} />
  if (session.store) return <Signed />
  return session.connection === 'offline' ? <Unreachable /> : <Skeleton rows={12} />
}

/** People without an account may read open channels to which a link leads. Everyone else signs in. */
function SignedOut({ wasSignedIn }: { wasSignedIn: boolean }) {
  const hash = useHash()
  const hasEnded = wasSignedIn || accountIn(document.cookie) !== undefined
  const isVisit = !hasEnded && /^#(narrow|topics|channels)/.test(hash)
  const signIn = useCallback(() => {
    deleteTexts()
    window.location.href = `/login${hasEnded ? '?ended' : ''}${window.location.hash}`
  }, [hasEnded])
  useEffect(() => {
    if (!isVisit) signIn()
  }, [isVisit, signIn])
  return <Suspense fallback={<Skeleton rows={12} />}>{isVisit && <VisitorApp onClosed={signIn} />}</Suspense>
}

/** Opened without the server, and nothing is kept on this device. */
function Unreachable() {
  return (
    <main className="main unreachable">
      <ConnectionBar />
      <Empty isWholeScreen icon="wifi-off" title={t('error.unreachable')}>
        {t('app.opensAgain')}
      </Empty>
    </main>
  )
}

/** What is open above the screen. */
type Opened =
  | 'keys'
  | { date: Narrow }
  | { palette: string }
  | { search: Narrow }
  | { message: NewMessageKind; text?: string }

function Signed() {
  const store = useStore()
  const session = useSession()
  const [opened, setOpened] = useState<Opened | undefined>(sharedMessage)
  const hash = canonicalHash(useHash(), store, session.viewerId)
  const look = JSON.stringify(lookOf((name) => store.preferences.get(name)))
  useEffect(() => chooseLook(JSON.parse(look)), [look])
  useEffect(() => void draftsOf(session), [session])
  useEffect(() => setPlaygrounds(() => session.store?.organization.playgrounds ?? []), [session])
  useNotifications(session)
  const write = useCallback((kind: NewMessageKind = 'channel') => setOpened({ message: kind }), [])
  useAppCommands(setOpened)
  return (
    <>
      {settingsHash.test(hash) ? (
        <div className="column whole">
          <ConnectionBar />
          <Suspense fallback={<Skeleton rows={12} />}>
            <SettingsScreen hash={hash} />
          </Suspense>
          <Tabs onNewMessage={write} />
        </div>
      ) : (
        <Conversations open={setOpened} onNewMessage={write} />
      )}
      <Suspense>{opened && <Above opened={opened} onClose={() => setOpened(undefined)} />}</Suspense>
      <Toasts />
    </>
  )
}

function sharedMessage(): Opened | undefined {
  const text = takeSharedText()
  return text === '' ? undefined : { message: 'channel', text }
}

/** Loaded after the first screen, which needs none of it. */
function useNotifications(session: Session): void {
  useEffect(() => {
    const started = new Promise<void>(whenQuiet).then(async () => {
      const load = <Part,>(start: () => Promise<Part>) => loadOnline(session, start)
      void load(() => import('./platform/service-worker.ts')).then(({ startServiceWorker }) => startServiceWorker())
      void load(() => import('./platform/kept-focus.ts')).then(({ keepFocusInLists }) => keepFocusInLists())
      void load(() => import('./rendered/copy-messages.ts')).then(({ startCopying }) => startCopying())
      const { startNotifications } = await load(() => loadLater(() => import('./notify/notifier.ts')))
      return startNotifications(session)
    })
    return () => void started.then((stop) => stop())
  }, [session])
}

function Above({ opened, onClose }: { opened: Opened; onClose: () => void }) {
  if (opened === 'keys') return <KeysDialog onClose={onClose} />
  if ('search' in opened) return <SearchDialog start={opened.search} onClose={onClose} />
  if ('date' in opened) return <DateDialog narrow={opened.date} onClose={onClose} />
  if ('palette' in opened) return <Palette start={opened.palette} onClose={onClose} />
  return <NewMessage kind={opened.message} text={opened.text} onClose={onClose} />
}

interface ConversationsProps {
  open: (what: Opened) => void
  onNewMessage: (kind?: NewMessageKind) => void
}

function Conversations({ open, onNewMessage }: ConversationsProps) {
  const jump = useCallback(() => open({ palette: '' }), [open])
  const isPhone = useIsPhone()
  return (
    <div className="app">
      {!isPhone && <Sidebar onJump={jump} onNewMessage={onNewMessage} />}
      <div className="column">
        <ConnectionBar />
        <NotificationBar />
        <Suspense>
          <EmailBar />
        </Suspense>
        <Suspense fallback={<Skeleton />}>
          <Screen />
        </Suspense>
        {isPhone && <Tabs onNewMessage={onNewMessage} />}
      </div>
    </div>
  )
}

/** These screens bring their own navigation. */
const settingsHash = /^#(settings|organization|groups)(\/|$)/

const screens: Record<string, () => ReactNode> = {
  '#inbox': () => <InboxScreen />,
  '#recent': () => <RecentScreen />,
  '#drafts': () => <DraftsScreen />,
  '#scheduled': () => <ScheduledScreen />,
  '#direct': () => <DirectScreen />,
  '#search': () => <SearchScreen />,
  '#you': () => <YouScreen />,
}

const titles: Record<string, PlainId> = {
  '#recent': 'nav.recent',
  '#drafts': 'nav.drafts',
  '#scheduled': 'nav.scheduled',
  '#channels': 'nav.channels',
  '#direct': 'sidebar.direct',
  '#search': 'keys.searchShort',
  '#you': 'nav.you',
}

function Screen() {
  const store = useStore()
  const { viewerId } = useSession()
  const hash = canonicalHash(useHash() || homeHash(store), store, viewerId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each hash that is shown.
  useEffect(() => {
    // The browser may be at another hash already, which is shown next.
    const requested = window.location.hash
    const named = requested && canonicalHash(requested, store, viewerId)
    if (requested !== named) window.location.replace(named)
  }, [hash, store, viewerId])
  const topicsOf = parseTopics(hash)
  const filesOf = parseFiles(hash)
  const parsed = useMemo(
    () => (hash === '#feed' ? { narrow: narrows.feed(), near: undefined } : parseNarrow(hash)),
    [hash],
  )
  const isPhone = useIsPhone()
  const screen = lookup(screens, hash)
  const listed = topicsOf ?? filesOf
  const narrow = listed === undefined ? parsed?.narrow : narrows.channel(listed)
  useWindowTitle(narrow ? titleOf(narrow, store) : t(lookup(titles, hash.split('/')[0]!) ?? 'nav.inbox'))
  if (screen) return screen()
  if (isPhone && hash === '#channels') return <PhoneChannels />
  if (topicsOf !== undefined) return <TopicsScreen key={hash} channelId={topicsOf} />
  if (filesOf !== undefined) return <FilesScreen key={hash} channelId={filesOf} />
  if (/^#channels(\/|$)/.test(hash)) return <ChannelsScreen hash={hash} />
  if (parsed) return <FeedScreen key={screenKey(hash)} narrow={parsed.narrow} near={parsed.near} />
  return (
    <main className="main">
      <Empty isWholeScreen icon="search" title={t('app.noPage')}>
        <a className="linkish" href="#inbox">
          {t('app.goToInbox')}
        </a>
      </Empty>
    </main>
  )
}

const homes = new Map<unknown, string>([
  ['recent_topics', '#recent'],
  ['all_messages', '#feed'],
])

/** The screen that the viewer chose to start with. */
function homeHash(store: Slices<'preferences'>): string {
  return homes.get(store.preferences.get('web_home_view')) ?? '#inbox'
}

/** Goes to the next unread conversation of a kind. */
function goToUnread(session: Session, kind: Parameters<typeof nextUnread>[1]): void {
  const store = session.store!
  const narrow = parseNarrow(window.location.hash)?.narrow ?? []
  const topic = topicOf(narrow)
  const open = topic ? topicKey(topic.stream_id, topic.topic) : `dm ${usersOf(narrow)?.join()}`
  const next = nextUnread(store, kind, open)
  if (!next) return showToast({ text: t('app.nothingUnread') })
  const { place } = next
  goTo(
    narrowHash(
      'stream_id' in place ? narrows.topic(place.stream_id, place.topic) : narrows.direct(place.user_ids),
      store,
    ),
  )
}

/** The channel, topic or direct conversation that is open: a search starts there. */
function openConversation(): Narrow {
  const narrow = parseNarrow(window.location.hash)?.narrow ?? []
  return narrow.filter(({ operator }) => ['channel', 'topic', 'dm'].includes(operator))
}

/** What the keys do on every screen. */
function useAppCommands(open: (what: Opened) => void): void {
  const session = useSession()
  useKeys()
  useCommands({
    search: () => open({ search: openConversation() }),
    searchHere: () => (openConversation().length > 0 ? open({ search: openConversation() }) : false),
    jump: () => open({ palette: '' }),
    jumpToDate: () => jumpToDate(open),
    channels: () => open({ palette: '#' }),
    people: () => open({ palette: '@' }),
    help: () => open('keys'),
    newTopic: () => open({ message: 'channel' }),
    newDirect: () => open({ message: 'direct' }),
    undo: undoLast,
    home: () => goHome(session.store!),
    inbox: () => goTo('#inbox'),
    recent: () => goTo('#recent'),
    feed: () => goTo('#feed'),
    starred: () => goTo('#narrow/is/starred'),
    drafts: () => goTo('#drafts'),
    nextTopic: () => goToUnread(session, 'topic'),
    nextFollowed: () => goToUnread(session, 'followed'),
    nextDirect: () => goToUnread(session, 'direct'),
    reply: () => (document.getElementById('composer') ? focusComposer() : false),
  })
}

function jumpToDate(open: (what: Opened) => void): boolean {
  const narrow = shownNarrow(window.location.hash)
  if (narrow) open({ date: narrow })
  return narrow !== undefined
}

function goHome(store: Slices<'preferences'>): boolean {
  if (store.preferences.get('web_escape_navigates_to_home_view') === false) return false
  goTo(homeHash(store))
  return true
}
