import { randomUUID } from 'node:crypto'
import { type ClientCapabilities, clientCapabilities, type register } from '@parley/api/delivery/queues'
import type { ParamsOf } from '@parley/api/operation'
import { isGuest } from '@parley/api/permissions'
import { activeCaller } from '../../callers/authenticate.ts'
import { type Caller, readCallerRow } from '../../callers/caller.ts'
import { isFull, isSession } from '../../callers/credential.ts'
import { loadState, type Realm, RealmState } from '../../callers/realm-state.ts'
import type { Commits, Context } from '../../context.ts'
import { transactIn } from '../../context.ts'
import { quotaOf } from '../../conversations/uploads/quota.ts'
import { knownUrlOf } from '../../organization/realms/hosts.ts'
import { matches } from '../../platform/db/matches.ts'
import { allDone, inSnapshot } from '../../platform/db/pipelined.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { columnOf, one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Snapshot } from '../../snapshot.ts'
import { withBotDefaults } from '../bots/defaults.ts'
import { eventId } from './event-id.ts'
import type { QueueOptions } from './queue.ts'
import { checkNarrow } from './queue-narrow.ts'
import { readSnapshot } from './register-state.ts'
import { version } from './server-generation.ts'

type RegisterParams = ParamsOf<typeof register> & Pick<QueueOptions, 'is_zulip_client'>

const defaultLifetime = 600
const mobileLifetime = 43_200
const longestLifetime = 604_800
/** Beyond this limit the queue that was idle longest is deleted. */
const maxQueuesPerUser = 100

/** Registers a queue. State and start event come from the same snapshot, so no events have to be replayed. */
export async function openQueue(ctx: Context, caller: Caller, params: RegisterParams, realmUrl: string) {
  const options = queueOptions(caller, await withBotDefaults(ctx.db, caller, params))
  const lifetime = lifetimeOf(params)
  const requestedParts = params.fetch_event_types ?? params.event_types ?? null
  const opened = await inSnapshot(ctx.db, async (db) => {
    const { realm_id, id } = caller
    const [place, row] = await allDone([readPlace(db, realm_id), readCallerRow(db, realm_id, id)] as const)
    const cached = cachesOf(ctx, realm_id, place)
    const { realm, accessVersion } = await cached.shared('realm', () => loadState(db, realm_id), realmSize)
    const snapshot = {
      db,
      realmUrl,
      serverGeneration: place.serverGeneration,
      caller: activeCaller(row, new RealmState(realm, accessVersion)),
      ...cached,
      ...clientOf(options, params),
      ...serverOf(ctx, realm),
    }
    const [state, queue] = await allDone([
      readSnapshot(snapshot, requestedParts),
      insertQueue(db, caller, options, place, lifetime),
    ] as const)
    return { ...queue, last_event_id: eventId(place.start), state }
  })
  const { state, queueCount, ...queue } = opened
  if (queueCount > maxQueuesPerUser) await deleteExcessQueues(ctx, caller)
  return { ...queue, ...state, idle_queue_timeout_secs: lifetime, ...version }
}

function clientOf(options: QueueOptions, params: RegisterParams) {
  return {
    clientGravatar: options.client_gravatar,
    isZulipClient: options.is_zulip_client,
    includeSubscribers: params.include_subscribers,
    hidesSecrets: options.hides_secrets === true,
    blanksSecrets: options.blanks_secrets === true,
    slimPresence: options.slim_presence,
    presenceHistoryDays: params.presence_history_limit_days,
    capabilities: options.capabilities,
  }
}

function serverOf({ vault, config, mailer }: Context, realm: Realm) {
  return {
    vault,
    isDemo: config.mode === 'demo',
    uploadQuota: quotaOf(config, realm),
    hasBigBlueButton: config.bigBlueButton !== undefined,
    sendsEmails: mailer !== undefined && knownUrlOf(config, realm) !== undefined,
  }
}

/** What is cached as long as no event after `stateEvent` may concern it, or as long as no topic is renamed. */
function cachesOf(
  { sharedState }: Context,
  realmId: number,
  { epoch, stateEvent, topicVersion }: SnapshotPosition,
): Pick<Snapshot, 'shared' | 'sharedUntilRenamed'> {
  return {
    shared: (key, load, sizeOf) => sharedState.getOrLoad(`${realmId} ${key}`, `${epoch} ${stateEvent}`, load, sizeOf),
    sharedUntilRenamed: (name, entryBytes) =>
      sharedState.map(`${realmId} ${name}`, `${epoch} ${topicVersion}`, entryBytes),
  }
}

const realmSize = () => 20_000

function queueOptions(caller: Caller, params: RegisterParams): QueueOptions {
  if (params.all_public_streams && isGuest(caller)) throw new ApiError('User not authorized for this query')
  const narrow = (params.narrow ?? []) as [string, string][]
  checkNarrow(narrow)
  return {
    event_types: params.event_types ?? null,
    narrow,
    all_public_streams: params.all_public_streams ?? false,
    apply_markdown: params.apply_markdown,
    client_gravatar: params.client_gravatar ?? true,
    slim_presence: params.slim_presence,
    include_subscribers: params.include_subscribers !== false,
    capabilities: knownCapabilities(params.client_capabilities ?? noCapabilities),
    is_zulip_client: params.is_zulip_client,
    ...(!isFull(caller.credential) && { hides_secrets: true }),
    ...(isSession(caller) && { blanks_secrets: true }),
  }
}

const noCapabilities: ClientCapabilities = { notification_settings_null: false }

/** Without those that this server does not know: they would be stored with the queue. */
function knownCapabilities(declared: ClientCapabilities): ClientCapabilities {
  const known = Object.entries(declared).filter(([name]) => Object.hasOwn(clientCapabilities.properties, name))
  return Object.fromEntries(known) as ClientCapabilities
}

function lifetimeOf({ idle_queue_timeout, queue_lifespan_secs }: RegisterParams): number {
  if (idle_queue_timeout === 'mobile') return mobileLifetime
  return Math.min(idle_queue_timeout || queue_lifespan_secs || defaultLifetime, longestLifetime)
}

/** The place of a snapshot in the logs of the realm, and what its cached parts depend on. */
interface SnapshotPosition {
  start: number
  epoch: number
  stateEvent: number
  topicVersion: number
  serverGeneration: number
}

function readPlace(db: Db, realmId: number): Promise<SnapshotPosition> {
  return one<SnapshotPosition>(db)`
    select last_event as start, epoch, state_event as "stateEvent", topic_version as "topicVersion",
           generation as "serverGeneration"
      from realm_counters, server_generation where realm_id = ${realmId}`
}

function insertQueue(
  db: Database,
  { realm_id, id, credential }: Caller,
  options: QueueOptions,
  { start, epoch }: SnapshotPosition,
  lifetime: number,
): Promise<{ queue_id: string; queueCount: number }> {
  return one<{ queue_id: string; queueCount: number }>(db)`
    insert into queues (id, realm_id, user_id, credential_id, start_event, acknowledged_event, epoch, lifetime_seconds, options)
    values (${randomUUID()}, ${realm_id}, ${id}, ${credential?.id ?? null}, ${start}, ${start}, ${epoch}, ${lifetime},
            ${JSON.stringify(options)})
    returning id as queue_id,
              1 + (select count(*) from queues where realm_id = ${realm_id} and user_id = ${id}) as "queueCount"`
}

async function deleteExcessQueues(ctx: Context, { realm_id, id: userId }: Caller): Promise<void> {
  const own = ctx.db.selectFrom('queues').select('id').where('realm_id', '=', realm_id).where('user_id', '=', userId)
  const excess = await columnOf(own.orderBy('last_seen', 'desc').offset(maxQueuesPerUser))
  if (excess.length > 0) await endQueues(ctx, realm_id, excess)
}

/** Deletes queues and ends the waits on them in all processes. Returns the number of deleted queues. */
export async function endQueues(ctx: Commits, realmId: number, ids: string[]): Promise<number> {
  return transactIn(ctx, realmId, async (tx) => {
    const queues = tx.db.deleteFrom('queues').where(matches({ id: ids, realm_id: realmId }))
    const ended_queues = await columnOf(queues.returning('id'))
    if (ended_queues.length > 0) tx.emitInternal({ ended_queues })
    return ended_queues.length
  })
}
