import type { QueueEvent } from '@parley/api/events'
import type { Delivery } from '@parley/client/session/deliveries'
import type {
  SavedMessages,
  SavedSession,
  SavedState,
  SessionChange,
  SessionStorage,
} from '@parley/client/session/saved-session'
import { type DBSchema, deleteDB, type IDBPDatabase, openDB, type StoreNames } from 'idb'

const name = 'parley'
/** Grows with every change of the stores below. */
const version = 1

/**
 * Grows when an older client could not read what a newer one stores, or what its tabs say. Otherwise, versions share
 * both, so that a client opens without the server after an update too.
 */
export const format = 2

/** The account that everything belongs to. */
interface Owner {
  account: string
  format: number
}

/** The state is one text, because it is large and browsers read texts faster than objects. */
type StoredState = Omit<SavedState, 'state'> & { client: string; text: string }

interface Schema extends DBSchema {
  owner: { key: 0; value: Owner }
  state: { key: 0; value: StoredState }
  messages: { key: 0; value: SavedMessages }
  events: { key: number; value: QueueEvent }
  deliveries: { key: string; value: Delivery & { tab: string } }
}

type Database = IDBPDatabase<Schema>
const cached = ['state', 'messages', 'events'] as const

/** Opens what this browser stored for an account. Undefined if nothing can be stored, as in some private windows. */
export async function openStorage(account: string, client: string, tab: string): Promise<SessionStorage | undefined> {
  try {
    const db = await openDatabase()
    const owner = { account, format }
    await takeOver(db, owner)
    return storageIn(db, owner, client, tab)
  } catch {
    return undefined
  }
}

async function openDatabase(): Promise<Database> {
  const open = () =>
    openDB<Schema>(name, version, {
      upgrade(db) {
        for (const store of Array.from(db.objectStoreNames)) db.deleteObjectStore(store)
        for (const store of ['owner', 'state', 'messages'] as const) db.createObjectStore(store)
        db.createObjectStore('events', { keyPath: 'id' })
        db.createObjectStore('deliveries', { keyPath: 'key' })
      },
      // Another tab signs out. Closed, this one cannot write anything afterwards.
      blocking: (_, __, event) => (event.target as IDBDatabase).close(),
    })
  try {
    return await open()
  } catch {
    await deleteDB(name)
    return open()
  }
}

/** Another account gets nothing. After a change of the format, only deliveries are kept, whose form does not change. */
async function takeOver(db: Database, owner: Owner): Promise<void> {
  if (isSame(await db.get('owner', 0), owner)) return // nearly always, and writing would delay the start
  const tx = db.transaction([...cached, 'owner', 'deliveries'] as const, 'readwrite')
  const known = await tx.objectStore('owner').get(0)
  const isOwn = known?.account === owner.account
  const stale = [...(isSame(known, owner) ? [] : cached), ...(isOwn ? [] : (['deliveries'] as const))]
  await Promise.all([
    ...stale.map((store) => tx.objectStore(store).clear()),
    tx.objectStore('owner').put(owner, 0),
    tx.done,
  ])
}

function isSame(known: Owner | undefined, owner: Owner): boolean {
  return known?.account === owner.account && known.format === owner.format
}

/** Removes everything, also while other tabs have it open. */
export async function deleteStorage(): Promise<void> {
  await deleteDB(name).catch(() => {})
}

function storageIn(db: Database, owner: Owner, client: string, tab: string): SessionStorage {
  return {
    load: () => load(db, owner, client),
    save: (change) => save(db, client, change),
    // Nobody waits for these: transactions keep their order.
    put: (delivery) => void attempt(() => putDelivery(db, { ...delivery, tab })),
    remove: (key) => void attempt(() => db.delete('deliveries', key)),
    othersDeliveries: async () => {
      const others = (await db.getAll('deliveries')).filter((one) => one.tab !== tab)
      return Map.groupBy(others, (one) => one.tab)
    },
    clear: () => clear(db, cached),
    destroy: async () => {
      db.close()
      await deleteStorage()
    },
  }
}

async function clear(db: Database, stores: readonly StoreNames<Schema>[]): Promise<void> {
  const tx = db.transaction(stores, 'readwrite')
  await Promise.all([...stores.map((store) => tx.objectStore(store).clear()), tx.done])
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch {
    // It is still in memory, and sent from there.
  }
}

/** Committed at once, because the window may be closing. */
async function putDelivery(db: Database, delivery: Schema['deliveries']['value']): Promise<void> {
  const tx = db.transaction('deliveries', 'readwrite')
  const stored = tx.store.put(delivery)
  tx.commit()
  await Promise.all([stored, tx.done])
}

/** A tab of another account may have written since. What it wrote is not used. */
async function load(db: Database, owner: Owner, client: string): Promise<SavedSession | undefined> {
  const tx = db.transaction([...cached, 'owner'] as const)
  const [known, stored, messages, events] = await Promise.all([
    tx.objectStore('owner').get(0),
    tx.objectStore('state').get(0),
    tx.objectStore('messages').get(0),
    tx.objectStore('events').getAll(),
  ])
  if (!isSame(known, owner) || !stored || !messages) return undefined
  const { text, ...position } = stored
  const isOutdated = stored.client !== client
  return { state: { ...position, state: JSON.parse(text), isOutdated }, messages, events }
}

async function save(db: Database, client: string, change: SessionChange): Promise<void> {
  const { state, messages, events, trimUntil } = change
  const text = state && JSON.stringify(state.state)
  const tx = db.transaction(cached, 'readwrite')
  const log = tx.objectStore('events')
  const requests: Promise<unknown>[] = []
  if (state) {
    const { queue_id, last_event_id } = state
    requests.push(tx.objectStore('state').put({ client, queue_id, last_event_id, text: text! }, 0))
  }
  if (messages) requests.push(tx.objectStore('messages').put(messages, 0))
  if (trimUntil !== undefined) requests.push(log.delete(IDBKeyRange.upperBound(trimUntil)))
  requests.push(...events.map((event) => log.put(event)))
  tx.commit()
  await Promise.all([...requests, tx.done])
}
