import { isIP } from 'node:net'
import type { RealmGroupSetting, SystemGroupName } from '@parley/api/permission-settings'
import { defaultsOf, type RealmSettings, realmSettings } from '@parley/api/settings'
import { LRUCache } from 'lru-cache'
import type { Follower } from '../events/following/follower.ts'
import { batched } from '../platform/batch-loader.ts'
import { matches } from '../platform/db/matches.ts'
import type { Database, Db } from '../platform/db/pool.ts'
import { one } from '../platform/db/query.ts'

/** A revoked caller gets no answer 100 ms later. The rest of that time is for the answer itself. */
const confirmedMilliseconds = 80

export interface Realm {
  id: number
  string_id: string
  host: string | null
  name: string
  description: string
  rendered_description: string
  date_created: Date
  deactivated: boolean
  /** Set by the operator; null: REALM_UPLOAD_QUOTA; 0: no limit. */
  upload_quota_mib: number | null
  /** Of uploaded images. */
  icon_path: string | null
  logo_path: string | null
  night_logo_path: string | null
  /** All declared settings, with defaults for those that the realm has not set. */
  settings: RealmSettings
  /** The group that holds each permission. */
  permissions: Record<RealmGroupSetting, number>
  systemGroups: Record<SystemGroupName, number>
  /** In order of precedence. */
  linkifiers: { pattern: string; url_template: string }[]
}

/**
 * The domain of the fake emails of users with hidden emails, and of the realm's bots. An IP address or a host with a
 * port is not a valid email domain.
 */
export function fakeDomain({ host, string_id }: Pick<Realm, 'host' | 'string_id'>): string {
  return host === null || isIP(host) > 0 || host.includes(':') ? `${string_id}.invalid` : host
}

/**
 * What this process caches about a realm. It is dropped as a whole when a change can affect access, so everything that
 * a `RealmCache` holds for it is at least as new as its `accessVersion`.
 */
export class RealmState {
  readonly realm: Realm
  readonly accessVersion: number

  constructor(realm: Realm, accessVersion: number) {
    this.realm = realm
    this.accessVersion = accessVersion
  }
}

/** A cached state, and when the database was asked whether it is current. */
interface Cached {
  state: RealmState
  confirmedAt: number
  isRenewing?: boolean
}

/**
 * The cached realm states, invalidated by the event log. A message about a change can be late or lost, and this process
 * can be paused, so a state is used only for a short time after the database confirmed its `accessVersion`.
 */
export class RealmStates {
  readonly #db: Database
  readonly #follower: Follower
  readonly #states = new LRUCache<number, Cached>({ max: 5000 })
  readonly #generations = new Map<number, number>()
  readonly #readVersion: (realmId: number) => Promise<VersionRead>
  /** Confirmations whose query has not been sent yet: after a pause, thousands of polls ask at once. */
  readonly #unsent = new Map<number, Promise<RealmState | undefined>>()

  constructor(db: Database, follower: Follower) {
    this.#db = db
    this.#follower = follower
    const readNow = (realmIds: number[]) => {
      this.#unsent.clear()
      return readVersions(db, realmIds)
    }
    this.#readVersion = batched(readNow, { isSequential: true })
    follower.onEvents((realmId, events) => {
      if (events.some(({ internal }) => internal?.access)) this.drop(realmId)
    })
    follower.onGap((realmId) => this.drop(realmId))
  }

  /** The cached state if it is certainly fresh, without waiting. */
  known(realmId: number): RealmState | undefined {
    const cached = this.#follower.use(realmId) ? this.#states.get(realmId) : undefined
    if (!cached) return undefined
    const age = performance.now() - cached.confirmedAt
    if (age > confirmedMilliseconds) return undefined
    if (age > confirmedMilliseconds / 4 && !cached.isRenewing) this.#renew(realmId, cached)
    return cached.state
  }

  /** Confirms a state before its time is over: while requests arrive all the time, none of them waits. */
  #renew(realmId: number, cached: Cached): void {
    cached.isRenewing = true
    const done = () => {
      cached.isRenewing = false
    }
    this.confirm(realmId).then(done, done)
  }

  /** The cached state if the database confirms that it is fresh. */
  async confirm(realmId: number): Promise<RealmState | undefined> {
    if (!this.#states.has(realmId)) return undefined
    const unsent = this.#unsent.get(realmId) ?? this.#confirm(realmId)
    this.#unsent.set(realmId, unsent)
    return unsent
  }

  async #confirm(realmId: number): Promise<RealmState | undefined> {
    const { version, readAt } = await this.#readVersion(realmId)
    const cached = this.#states.get(realmId)
    if (!cached || !this.#follower.use(realmId)) return undefined
    if (cached.state.accessVersion !== version) return this.dropState(cached.state)
    cached.confirmedAt = Math.max(cached.confirmedAt, readAt)
    return cached.state
  }

  async get(realmId: number): Promise<RealmState> {
    const known = this.known(realmId) ?? (await this.confirm(realmId))
    if (known) return known
    // The read may miss a change that commits while it runs; in this case, read again.
    for (;;) {
      await this.#follower.follow(realmId)
      const generation = this.#generations.get(realmId) ?? 0
      const confirmedAt = performance.now()
      const state = await loadState(this.#db, realmId)
      if ((this.#generations.get(realmId) ?? 0) !== generation) continue
      this.#states.set(realmId, { state, confirmedAt })
      return state
    }
  }

  /** Drops a stale state, unless it was already replaced by a newer one. */
  dropState(state: RealmState): undefined {
    if (this.#states.get(state.realm.id)?.state === state) this.drop(state.realm.id)
  }

  drop(realmId: number): void {
    this.#generations.set(realmId, (this.#generations.get(realmId) ?? 0) + 1)
    this.#states.delete(realmId)
  }
}

/** Loads a realm from the database, with empty caches. */
export async function loadState(db: Db, realmId: number): Promise<RealmState> {
  const { access_version, system_groups, ...realm } = await one<
    Omit<Realm, 'systemGroups'> & { access_version: number; system_groups: Realm['systemGroups'] }
  >(db)`
    select r.id, r.string_id, r.host, r.name, r.description, r.rendered_description, r.date_created, r.deactivated,
           r.upload_quota_mib, r.icon_path, r.logo_path, r.night_logo_path,
           r.settings, c.access_version,
           (select jsonb_object_agg(setting, group_id) from realm_permissions where realm_id = r.id) as permissions,
           (select jsonb_object_agg(name, id) from user_groups where realm_id = r.id and is_system_group) as system_groups,
           (select coalesce(jsonb_agg(jsonb_build_object('pattern', pattern, 'url_template', url_template) order by place), '[]')
              from linkifiers where realm_id = r.id) as linkifiers
      from realms r join realm_counters c on c.realm_id = r.id
     where r.id = ${realmId}`
  return new RealmState(
    { ...realm, systemGroups: system_groups, settings: { ...defaultSettings, ...realm.settings } },
    access_version,
  )
}

const defaultSettings = defaultsOf(realmSettings)

interface VersionRead {
  version: number | undefined
  /** Before the query was sent: the process may have been paused before it saw the result. */
  readAt: number
}

async function readVersions(db: Db, realmIds: number[]): Promise<VersionRead[]> {
  const readAt = performance.now()
  const counters = db.selectFrom('realm_counters').select(['realm_id', 'access_version'])
  const rows = await counters.where(matches({ realm_id: [...new Set(realmIds)] })).execute()
  const versions = new Map(rows.map(({ realm_id, access_version }) => [realm_id, access_version]))
  return realmIds.map((realmId) => ({ version: versions.get(realmId), readAt }))
}
