import type { QueueHub } from '../delivery/queues/hub.ts'
import type { Poll } from '../delivery/queues/registry.ts'
import type { QueuePosition, Waiter } from '../delivery/queues/waiter.ts'
import type { WireEvent } from '../delivery/queues/wire-events.ts'

/** A client that polls again after every response, until its queue ends. */
export interface HubClient {
  /** The messages it received, in order. */
  received: { eventId: number; messageId: number; content: string }[]
  hasEnded: boolean
}

export function listenTo(hub: QueueHub, poll: Poll): HubClient {
  const client: HubClient = { received: [], hasEnded: false }
  let last = poll.lastEventId
  const take = (events: WireEvent[]) => {
    for (const { id, text } of events) {
      last = id
      const { type, message } = JSON.parse(text)
      if (type === 'message') client.received.push({ eventId: id, messageId: message.id, content: message.content })
    }
    setImmediate(read)
    return false
  }
  const end = () => {
    client.hasEnded = true
  }
  const waiterAt = (place: QueuePosition): Waiter => ({
    ...place,
    due: undefined,
    isOpen: true,
    give: take,
    dismiss: () => void take([]),
    end,
    refuse: end,
  })
  const read = async () => {
    let isWaiting = false
    const wait = (place: QueuePosition) => {
      isWaiting = true
      return waiterAt(place)
    }
    const events = await Promise.resolve(hub.read({ ...poll, lastEventId: last }, wait)).catch(end)
    if (events && !isWaiting) take(events)
  }
  void read()
  return client
}
