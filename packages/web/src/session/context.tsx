import type { Session } from '@parley/client/session'
import type { Store } from '@parley/client/store'
import { createContext, useContext, useSyncExternalStore } from 'react'

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

/** The store of a session that has registered; only screens inside the app use it. */
export function useStore(): Store {
  useChanges()
  return useSession().store!
}
