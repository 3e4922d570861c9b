import { type Platform, Session } from '@parley/client/session/session'
import { ParleyClient } from '@parley/client/wire/client'
import type { TabMessage } from '@parley/client/wire/tab-feed'
import { whenQuiet } from '../platform/quiet.ts'
import { joinTabs } from '../platform/tabs.ts'
import { chooseHours, hoursOf } from '../platform/times.ts'
import { accountIn } from './account.ts'
import { deleteTexts } from './kept-texts.ts'
import { deleteStorage, format, openStorage } from './storage.ts'

/** Starts with what this browser has stored, if anything, and continues from there. */
export async function startSession(clientVersion: string): Promise<Session> {
  const account = accountIn(document.cookie)
  deleteTexts(account)
  const client = new ParleyClient({
    site: window.location.origin,
    usesCookie: true,
    fetch: fetchAs(account, () => session),
  })
  const session: Session = new Session(client, await openPlatform(account, clientVersion))
  await session.restore()
  followHours(session)
  void session.run()
  for (const event of ['online', 'offline'])
    window.addEventListener(event, () => session.setReachable(navigator.onLine))
  window.addEventListener('pagehide', () => session.flush())
  document.addEventListener('visibilitychange', () => document.hidden && session.flush())
  return session
}

/** Runs before React renders a change, so that components show times in the format that the viewer has chosen. */
function followHours(session: Session): void {
  const choose = () => {
    if (session.store) chooseHours(hoursOf(session.store.preferences))
  }
  session.changes.subscribe(choose)
  choose()
}

/** Undefined if this browser cannot store anything, or must not. */
async function openPlatform(account: string | undefined, clientVersion: string): Promise<Platform | undefined> {
  if (account === undefined) {
    await deleteStorage()
    return undefined
  }
  const tabs = joinTabs<TabMessage>(`parley-events ${account} ${format}`)
  const storage = tabs && (await openStorage(account, clientVersion, tabs.id))
  return storage && { tabs, storage, whenQuiet }
}

/** Nothing is sent in the name of another user who signed in in another tab. */
function fetchAs(account: string | undefined, session: () => Session): typeof fetch {
  return (...args) => {
    if (accountIn(document.cookie) === account) return fetch(...args)
    if (!session().isSigningOut) window.location.reload()
    return new Promise(() => {})
  }
}
