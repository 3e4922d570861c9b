import type { Narrow } from '@parley/client/messages/narrow'
import type { MessageWindow } from '@parley/client/messages/window'
import type { Session } from '@parley/client/session/session'
import type { SliceName, Slices, Store } from '@parley/client/store/store'
import { createContext, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'

const SessionContext = createContext<Session | undefined>(undefined)
export const SessionProvider = SessionContext.Provider

export function useSession(): Session {
  return useContext(SessionContext)!
}

/** Renders again after every change of the session. */
export function useChanges(): number {
  const { changes } = useSession()
  return useSyncExternalStore(changes.subscribe, () => changes.version)
}

const calmMilliseconds = 400

/** The store, for parts that are large and need not show every change at once: renders again only a few times a second. */
export function useCalmStore(): Store {
  const { changes, store } = useSession()
  const [, setVersion] = useState(changes.version)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = 0
    const show = () => {
      timer = undefined
      last = performance.now()
      setVersion(changes.version)
    }
    const unsubscribe = changes.subscribe(() => {
      timer ??= setTimeout(show, last + calmMilliseconds - performance.now())
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [changes])
  return store!
}

/** The store of a session that has registered; only screens inside the app use it. */
export function useStore(): Store {
  useChanges()
  return useSession().store!
}

/** Slices of the store. Renders again only after a change of one of them. */
export function useSlices<Name extends SliceName>(...names: Name[]): Slices<Name> {
  const session = useSession()
  const { subscribe } = session.changes
  useSyncExternalStore(subscribe, () => session.store?.versionOf(names) ?? 0)
  return useSyncExternalStore(subscribe, () => session.store!)
}

/** The messages of a narrow, as far as they are loaded. */
export function useWindow(narrow: Narrow): MessageWindow {
  const session = useSession()
  const { store } = session
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new store has new windows.
  return useMemo(() => session.window(narrow), [session, narrow, store])
}

/** Repeats what failed, once the server can be reached again. */
export function useRetryOnline(hasFailed: boolean, retry: () => void): void {
  useChanges()
  const { connection } = useSession()
  const wasOffline = useRef(false)
  useEffect(() => {
    if (connection === 'offline') wasOffline.current = true
    if (connection !== 'online' || !wasOffline.current) return
    wasOffline.current = false
    if (hasFailed) retry()
  })
}
