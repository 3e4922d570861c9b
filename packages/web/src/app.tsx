import { narrows } from '@parley/client/narrow'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { FeedScreen, titleOf } from './feed/screen.tsx'
import { InboxScreen } from './inbox/screen.tsx'
import { goTo, useHash } from './platform/routing.ts'
import { chooseLook } from './platform/theme.ts'
import { clockTime } from './platform/times.ts'
import { useChanges, useSession, useStore } from './session/context.tsx'
import { parseNarrow } from './session/links.ts'
import { lookOf } from './session/look.ts'
import { Sidebar } from './sidebar/sidebar.tsx'
import { Icon, type IconName } from './ui/icon.tsx'
import { Empty, Skeleton } from './ui/states.tsx'
import { Toasts, undoLast } from './ui/toast.tsx'

const RecentScreen = lazy(() => import('./recent/screen.tsx').then((one) => ({ default: one.RecentScreen })))
const SettingsScreen = lazy(() => import('./organization/screen.tsx').then((one) => ({ default: one.SettingsScreen })))
const ChannelsScreen = lazy(() => import('./settings/channels.tsx').then((one) => ({ default: one.ChannelsScreen })))
const DraftsScreen = lazy(() => import('./compose/drafts-screen.tsx').then((one) => ({ default: one.DraftsScreen })))
const ScheduledScreen = lazy(() =>
  import('./compose/scheduled-screen.tsx').then((one) => ({ default: one.ScheduledScreen })),
)
const Palette = lazy(() => import('./palette/palette.tsx').then((one) => ({ default: one.Palette })))

/** The whole client, once signed in. */
export function App() {
  useChanges()
  const session = useSession()
  if (session.connection === 'signed out') {
    window.location.href = '/login'
    return null
  }
  return session.store ? <Signed /> : <Skeleton rows={12} />
}

function Signed() {
  const store = useStore()
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const openPalette = () => setPaletteOpen(true)
  const hash = useHash()
  const look = JSON.stringify(lookOf((name) => store.preferences.get(name)))
  useEffect(() => chooseLook(JSON.parse(look)), [look])
  useShortcuts(openPalette)
  return (
    <>
      {settingsHash.test(hash) ? (
        <>
          <ConnectionBar />
          <Suspense fallback={<Skeleton rows={12} />}>
            <SettingsScreen hash={hash} />
          </Suspense>
          <Tabs />
        </>
      ) : (
        <Conversations openPalette={openPalette} />
      )}
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
      <Toasts />
    </>
  )
}

function Conversations({ openPalette }: { openPalette: () => void }) {
  return (
    <div className="app">
      <Sidebar
        onJump={openPalette}
        onNewMessage={() => (document.getElementById('composer') ? focusComposer() : goTo('#recent'))}
      />
      <div className="column">
        <ConnectionBar />
        <Suspense fallback={<Skeleton />}>
          <Screen />
        </Suspense>
        <Tabs />
      </div>
    </div>
  )
}

/** These screens bring their own navigation. */
const settingsHash = /^#(settings|organization|groups)(\/|$)/

const screens: Record<string, () => ReactNode> = {
  '': () => <InboxScreen />,
  '#inbox': () => <InboxScreen />,
  '#recent': () => <RecentScreen />,
  '#drafts': () => <DraftsScreen />,
  '#scheduled': () => <ScheduledScreen />,
}

function Screen() {
  const hash = useHash()
  const store = useStore()
  const parsed = useMemo(
    () => (hash === '#feed' ? { narrow: narrows.feed(), near: undefined } : parseNarrow(hash)),
    [hash],
  )
  const screen = Object.hasOwn(screens, hash) ? screens[hash] : undefined
  const title = parsed ? titleOf(parsed.narrow, store) : (hash.slice(1).split('/')[0] ?? '') || 'Inbox'
  const count = store.unread.count
  useEffect(() => {
    const name = String(store.realm.settings.name ?? 'Parley')
    document.title = `${count > 0 ? `(${count}) ` : ''}${title.charAt(0).toUpperCase()}${title.slice(1)} · ${name}`
  }, [title, count, store])
  if (screen) return screen()
  if (/^#channels(\/|$)/.test(hash)) return <ChannelsScreen hash={hash} />
  if (parsed) return <FeedScreen key={hash} narrow={parsed.narrow} near={parsed.near} />
  return (
    <main className="main">
      <Empty isWholeScreen icon="search" title="This page does not exist.">
        <a className="linkish" href="#inbox">
          Go to the inbox
        </a>
      </Empty>
    </main>
  )
}

/** Says that the server cannot be reached and what waits for it. */
function ConnectionBar() {
  useChanges()
  const { connection, offlineSince, outbox } = useSession()
  if (connection !== 'offline' || !offlineSince) return null
  const waiting = outbox.size === 0 ? '' : ` · ${outbox.size} ${outbox.size === 1 ? 'message' : 'messages'} waiting`
  return (
    <div className="offline" role="status">
      <Icon name="wifi-off" size="s" /> Offline since {clockTime(offlineSince.getTime() / 1000)}
      {waiting}
    </div>
  )
}

const tabs: [hash: string, label: string, icon: IconName][] = [
  ['#inbox', 'Inbox', 'inbox'],
  ['#recent', 'Recent', 'clock'],
  ['#channels', 'Channels', 'hash'],
  ['#narrow/is/mentioned', 'Mentions', 'at-sign'],
  ['#settings', 'You', 'circle-user-round'],
]

/** On phones, in place of the sidebar. */
function Tabs() {
  const hash = useHash()
  const store = useStore()
  const isConversation = hash.startsWith('#narrow') && !tabs.some(([target]) => target === hash)
  if (isConversation) return null
  return (
    <nav className="tabs" aria-label="Main">
      {tabs.map(([target, label, icon]) => (
        <a
          key={target}
          href={target}
          className={hash === target ? 'on' : ''}
          aria-current={hash === target ? 'page' : undefined}
        >
          <Icon name={icon} />
          {label}
          {target === '#inbox' && store.unread.count > 0 && <span className="pill">{store.unread.count}</span>}
        </a>
      ))}
    </nav>
  )
}

function focusComposer(): void {
  document.getElementById('composer')?.focus()
}

const shortcuts: Record<string, () => void> = {
  i: () => goTo('#inbox'),
  t: () => goTo('#recent'),
  a: () => goTo('#feed'),
  r: focusComposer,
  c: focusComposer,
  Enter: focusComposer,
  '*': () => goTo('#narrow/is/starred'),
  d: () => goTo('#drafts'),
}

/** Keys that work outside text fields. */
function useShortcuts(openPalette: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault()
        return openPalette()
      }
      const target = event.target as HTMLElement
      if (target.closest('input, textarea, select, dialog, [role=menu]')) return
      if ((event.ctrlKey || event.metaKey) && event.key === 'z') return undoLast()
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '/') {
        event.preventDefault()
        return openPalette()
      }
      if (event.key === 'Enter' && target.closest('a, button')) return
      const act = Object.hasOwn(shortcuts, event.key) ? shortcuts[event.key] : undefined
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [openPalette])
}
