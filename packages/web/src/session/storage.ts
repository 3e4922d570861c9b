import type { QueueEvent } from '@parley/api/events'
import type { Delivery } from '@parley/client/deliveries'
import type {
  SavedMessages,
  SavedSession,
  SavedState,
  SessionChange,
  SessionStorage,
} from '@parley/client/saved-session'
import { type DBSchema, deleteDB, type IDBPDatabase, openDB, type StoreNames } from 'idb'

const name = 'parley'
/** Grows with every change of the stores below. */
const version = 1

/** The account that everything belongs to, and the client that wrote it. */
interface Owner {
  account: string
  client: string
}

/** The state is one text, because it is large and browsers read texts faster than objects. */
type StoredState = Omit<SavedState, 'state'> & { text: string }

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
    await takeOver(db, { account, client })
    return storageIn(db, { account, client }, tab)
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

/** Another account gets nothing. Another version of the client gets the deliveries, whose form does not change. */
async function takeOver(db: Database, owner: Owner): Promise<void> {
  const tx = db.transaction([...cached, 'owner', 'deliveries'], 'readwrite')
  const known = await tx.objectStore('owner').get(0)
  const isOwn = known?.account === owner.account
  if (!isOwn || known.client !== owner.client) for (const store of cached) void tx.objectStore(store).clear()
  if (!isOwn) void tx.objectStore('deliveries').clear()
  void tx.objectStore('owner').put(owner, 0)
  await tx.done
}

/** Removes everything, also while other tabs have it open. */
export async function deleteStorage(): Promise<void> {
  await deleteDB(name).catch(() => {})
}

function storageIn(db: Database, owner: Owner, tab: string): SessionStorage {
  return {
    load: () => load(db),
    save: (change) => save(db, owner, change),
    // Nobody waits for these: transactions keep their order.
    put: (delivery) => void attempt(() => db.put('deliveries', { ...delivery, tab })),
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
  for (const store of stores) void tx.objectStore(store).clear()
  await tx.done
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch {
    // It is still in memory, and sent from there.
  }
}

async function load(db: Database): Promise<SavedSession | undefined> {
  const tx = db.transaction(cached)
  const [stored, messages, events] = await Promise.all([
    tx.objectStore('state').get(0),
    tx.objectStore('messages').get(0),
    tx.objectStore('events').getAll(),
  ])
  if (!stored || !messages) return undefined
  const { text, ...position } = stored
  return { state: { ...position, state: JSON.parse(text) }, messages, events }
}

async function save(db: Database, owner: Owner, change: SessionChange): Promise<void> {
  const { state, messages, events, trimUntil } = change
  const text = state && JSON.stringify(state.state)
  const tx = db.transaction([...cached, 'owner'], 'readwrite')
  // A tab that was opened before an update must not write what the new client would read.
  if ((await tx.objectStore('owner').get(0))?.client !== owner.client) throw new Error('Another client is in use.')
  if (state) {
    const { queue_id, last_event_id } = state
    void tx.objectStore('state').put({ queue_id, last_event_id, text: text! }, 0)
  }
  if (messages) void tx.objectStore('messages').put(messages, 0)
  if (trimUntil !== undefined) void tx.objectStore('events').delete(IDBKeyRange.upperBound(trimUntil))
  for (const event of events) void tx.objectStore('events').put(event)
  await tx.done
}
