import type { Narrow } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'

/** Long topics are not gone through each time. */
const newest = 100

/** Who wrote in a narrow, the latest first, as far as its messages are loaded. */
export function writersOf(session: Session, narrow: Narrow): number[] {
  const senders = session
    .window(narrow)
    .ids.slice(-newest)
    .map((id) => session.messages.byId.get(id)?.sender_id)
  return [...new Set(senders.reverse())].filter((id) => id !== undefined)
}
