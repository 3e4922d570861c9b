import type { ClientCapabilities } from '@parley/api/queues'
import type { Db } from './platform/db/pool.ts'
import type { Vault } from './platform/secrets.ts'
import type { Caller } from './users/caller.ts'

/** What a feature is given to add its part to the state that a registration returns. */
export interface Snapshot {
  /** An open REPEATABLE READ transaction: everything read through it is of one moment. */
  db: Db
  caller: Caller
  /** Opens what is kept sealed. */
  vault: Vault
  clientGravatar: boolean
  /** Whether the client is one of Zulip's, with names of its own for a few things. */
  isZulipClient: boolean
  includeSubscribers: boolean | 'partial'
  slimPresence: boolean
  presenceHistoryDays: number
  capabilities: ClientCapabilities
  /** The address the client reaches the realm at. */
  realmUrl: string
  /** Whether this is the demo server. */
  isDemo: boolean
  /** MiB that the realm's uploads may take together; null: any number. */
  uploadQuota: number | null
  serverGeneration: number
}
