import type { Session } from '@parley/client/session/session'

/** Loads what runs in the background. If that fails, it is loaded again once the server can be reached again. */
export async function loadOnline<Part>(session: Session, load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch {
    await untilOnlineAgain(session)
    return loadOnline(session, load)
  }
}

function untilOnlineAgain(session: Session): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let wasOffline = false
  const look = () => {
    wasOffline ||= session.connection === 'offline'
    if (wasOffline && session.connection === 'online') resolve()
  }
  const stop = session.changes.subscribe(look)
  look()
  return promise.finally(stop)
}
