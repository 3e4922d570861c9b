import type { QueueEvent } from '@parley/api/events'
import { removedUser } from './departures.ts'
import type { PresenceState, Slice, State } from './state.ts'

type PresenceEvent = Extract<QueueEvent, { type: 'presence' }>
type ClientPresence = PresenceEvent['presence'][string]

type Seen = PresenceState['presences'][string]

/** When a user was last active, in seconds since 1970. */
interface LastSeen {
  active_timestamp?: number
  idle_timestamp?: number
}

/** The presence of users in the requested format: by user id, or the legacy format by email and client. */
export class Presence implements Slice {
  readonly events = ['presence', 'realm_user'] as const
  readonly fields = ['presences', 'presence_last_update_id', 'server_timestamp'] as const
  readonly byKey: Map<string, Seen>
  /** User ids by email, for the legacy format. */
  readonly #addresses: Map<number, string>
  #lastUpdate: number
  #serverTime: number
  /** How far this device's clock is behind the server's, in seconds. */
  #clockDifference = 0

  constructor({ presences = {}, presence_last_update_id = -1, server_timestamp = 0, realm_users = [] }: State) {
    this.#addresses = new Map(realm_users.map(({ user_id, email }) => [user_id, email]))
    this.byKey = new Map(Object.entries(presences))
    this.#lastUpdate = presence_last_update_id
    this.#serverTime = server_timestamp
  }

  /** The latest update that is known, for the next ping. */
  get lastUpdate(): number {
    return this.#lastUpdate
  }

  lastSeen(userId: number): LastSeen | undefined {
    return this.byKey.get(String(userId))
  }

  /** Now, in seconds since 1970, by the server's clock. */
  now(): number {
    return Date.now() / 1000 + this.#clockDifference
  }

  /** Applies the answer to a ping. Events only announce users who come back, so that this alone keeps others active. */
  update({ presences = {}, presence_last_update_id, server_timestamp }: Partial<PresenceState>): void {
    for (const [key, seen] of Object.entries(presences)) this.byKey.set(key, seen)
    this.#lastUpdate = presence_last_update_id ?? this.#lastUpdate
    if (server_timestamp === undefined) return
    this.#serverTime = Math.max(this.#serverTime, server_timestamp)
    this.#clockDifference = server_timestamp - Date.now() / 1000
  }

  apply(event: QueueEvent): void {
    if (event.type === 'realm_user') this.#applyUser(event)
    if (event.type !== 'presence') return
    this.#serverTime = Math.max(this.#serverTime, event.server_timestamp)
    const client = Object.values(event.presence)[0]
    if (!client) return
    // Only events for the legacy format contain the email.
    if (event.email !== undefined) this.byKey.set(event.email, byClient(event.presence, client))
    else this.#see(String(event.user_id), client)
  }

  #applyUser(event: Extract<QueueEvent, { type: 'realm_user' }>): void {
    const { user_id } = event.person
    const address = this.#addresses.get(user_id)
    if (event.op === 'add') this.#addresses.set(user_id, event.person.email)
    if (removedUser(event) !== undefined) for (const key of [String(user_id), address ?? '']) this.byKey.delete(key)
    if (event.op !== 'update' || !('new_email' in event.person) || address === undefined) return
    this.#addresses.set(user_id, event.person.new_email)
    const known = this.byKey.get(address)
    if (known !== undefined) this.byKey.set(event.person.new_email, known)
    this.byKey.delete(address)
  }

  #see(key: string, { status, timestamp }: ClientPresence): void {
    const known = this.byKey.get(key)
    this.byKey.set(key, {
      ...known,
      idle_timestamp: timestamp,
      ...(status === 'active' && { active_timestamp: timestamp }),
    })
  }

  snapshot(): PresenceState {
    return {
      presences: Object.fromEntries(this.byKey),
      presence_last_update_id: this.#lastUpdate,
      server_timestamp: this.#serverTime,
    }
  }
}

function byClient(clients: PresenceEvent['presence'], { client, status, timestamp }: ClientPresence) {
  return { aggregated: { client, status, timestamp }, ...clients }
}
