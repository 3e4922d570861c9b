import type { ClientCapabilities } from '@parley/api/delivery/queues'
import type { Caller } from './callers/caller.ts'
import type { Db } from './platform/db/pool.ts'
import type { Vault } from './platform/secrets.ts'
import type { SharedMap } from './platform/versioned-cache.ts'

/** What a feature needs to load its part of the state that `register` returns. */
export interface Snapshot {
  /** An open REPEATABLE READ transaction: all reads see the same state. */
  db: Db
  caller: Caller
  /** Decrypts sealed secrets. */
  vault: Vault
  clientGravatar: boolean
  /** Whether the client is an official Zulip client; these use different names for a few things. */
  isZulipClient: boolean
  includeSubscribers: boolean | 'partial'
  /** The client may not read the keys of bots. */
  hidesSecrets: boolean
  /** The client gets empty keys of bots. */
  blanksSecrets: boolean
  slimPresence: boolean
  presenceHistoryDays: number
  capabilities: ClientCapabilities
  /** The URL at which the client reaches the realm. */
  realmUrl: string
  /** Whether this is the demo server. */
  isDemo: boolean
  /** Upload quota of the realm in MiB; null means unlimited. */
  uploadQuota: number | null
  /** Whether video calls with BigBlueButton are configured. */
  hasBigBlueButton: boolean
  /** Whether users get emails about messages. */
  sendsEmails: boolean
  serverGeneration: number
  /**
   * Loads a value that is the same for all snapshots between two changes of users, channels, groups or settings, or
   * takes it from the cache. It must depend on nothing else: what the caller and their client may see is part of `key`.
   */
  shared<T extends object>(key: string, load: () => Promise<T>, sizeOf: (value: T) => number): Promise<T>
  /** Values by id that are the same for all snapshots until a topic of the realm gets another name or channel. */
  sharedUntilRenamed<V extends object>(name: string, entryBytes: number): SharedMap<number, V>
}
