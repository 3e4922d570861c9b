/** What the clients of a crash test saw, and what the server finally stored. */
export interface CrashRecord {
  /** Acknowledged sends by sender, in order: the content and the returned id. */
  acknowledged: Map<string, { content: string; id: number }[]>
  /** Requests that got no response, or an error of the server. */
  failures: string[]
  /** Sends without a response: stored once or not at all. */
  unknown: string[]
  /** What each queue delivered, in order. */
  received: Map<string, { eventId: number; messageId: number; content: string }[]>
  /** Queues that the server ended: the client registered again and loaded everything. */
  ended: Set<string>
  /** The channel's whole history, read after the last crash. */
  stored: { id: number; content: string }[]
  reactions: Reactions
}

/** The messages that got a reaction, each at most one. */
export interface Reactions {
  acknowledged: number[]
  /** By queue. */
  received: Map<string, number[]>
  stored: number[]
}

/** Every violation of a guarantee, in words. Empty: all guarantees hold. */
export function brokenPromises(record: CrashRecord, mayEndQueues = false): string[] {
  return [
    ...(mayEndQueues ? [] : [...record.ended].map((queue) => `${queue} was ended`)),
    ...[...lostMessages(record), ...doubledMessages(record), ...disorderedSends(record), ...brokenQueues(record)],
    ...brokenReactions(record),
  ]
}

function* lostMessages({ acknowledged, stored }: CrashRecord): Iterable<string> {
  const contents = new Map(stored.map(({ id, content }) => [id, content]))
  for (const [sender, sends] of acknowledged) {
    for (const { id, content } of sends) {
      if (contents.get(id) !== content)
        yield `${sender} got id ${id} for "${content}", but the stored message is ${contents.get(id) ?? 'missing'}`
    }
  }
}

function* doubledMessages({ stored }: CrashRecord): Iterable<string> {
  const seen = new Set<string>()
  for (const { id, content } of stored) {
    if (seen.has(content)) yield `"${content}" is stored twice, again as ${id}`
    seen.add(content)
  }
}

/** A message sent after another one was acknowledged has a greater id. */
function* disorderedSends({ acknowledged }: CrashRecord): Iterable<string> {
  for (const [sender, sends] of acknowledged) {
    for (const [index, { id }] of sends.entries()) {
      const before = sends[index - 1]
      if (before && before.id >= id) yield `${sender} sent ${before.id} before ${id}`
    }
  }
}

/** Each queue delivers exactly what is stored, once, in order, with increasing event ids. */
function* brokenQueues(record: CrashRecord): Iterable<string> {
  for (const [queue, events] of record.received) {
    for (const [index, { eventId }] of events.entries()) {
      const before = events[index - 1]
      if (before && before.eventId >= eventId) yield `${queue} got event ${eventId} after ${before.eventId}`
    }
    yield* compareQueue(record, queue)
  }
}

/** A queue that ended may have delivered lost messages at its end, but nothing before is missing. The next one continues later. */
function compareQueue({ received, stored, ended }: CrashRecord, queue: string): Iterable<string> {
  const got = received.get(queue)!.map(({ messageId }) => messageId)
  const ids = stored.map(({ id }) => id)
  if (ended.has(queue)) while (got.length > 0 && !ids.includes(got.at(-1)!)) got.pop()
  const isFirst = [...received.keys()].find((name) => ownerOf(name) === ownerOf(queue)) === queue
  const start = isFirst ? 0 : ids.indexOf(got[0]!)
  return differences(queue, got, ids.slice(start, ended.has(queue) ? ids.indexOf(got.at(-1)!) + 1 : undefined))
}

const ownerOf = (queue: string) => queue.split(' ')[0]

/** What was acknowledged is stored and received, and what was received is stored. Clients whose queue ended load the rest. */
function* brokenReactions({ reactions: { acknowledged, received, stored }, ended }: CrashRecord): Iterable<string> {
  const lost = acknowledged.filter((id) => !stored.includes(id))
  if (lost.length > 0) yield `acknowledged reactions to ${lost.join(', ')} are not stored`
  const interrupted = new Set([...ended].map(ownerOf))
  for (const [queue, got] of received) {
    if (interrupted.has(ownerOf(queue))) continue
    const missing = acknowledged.filter((id) => !got.includes(id))
    const unexpected = got.filter((id) => !stored.includes(id))
    if (missing.length > 0) yield `${queue} never received the reactions to ${missing.join(', ')}`
    if (unexpected.length > 0) yield `${queue} received reactions to ${unexpected.join(', ')}, which are not stored`
    if (new Set(got).size < got.length) yield `${queue} received some reactions twice`
  }
}

function* differences(queue: string, got: number[], expected: number[]): Iterable<string> {
  const missing = expected.filter((id) => !got.includes(id))
  const unexpected = got.filter((id) => !expected.includes(id))
  if (missing.length > 0) yield `${queue} never received ${missing.slice(0, 5).join(', ')} (${missing.length} in total)`
  if (unexpected.length > 0) yield `${queue} received ${unexpected.slice(0, 5).join(', ')}, which are not stored`
  if (missing.length === 0 && unexpected.length === 0 && got.join() !== expected.join())
    yield `${queue} received some messages twice or in another order`
}
