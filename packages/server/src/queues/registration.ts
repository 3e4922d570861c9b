import { randomUUID } from 'node:crypto'
import type { ParamsOf } from '@parley/api/operation'
import type { ClientCapabilities, register } from '@parley/api/queues'
import { sql } from 'kysely'
import { withBotDefaults } from '../bots/defaults.ts'
import type { Context } from '../context.ts'
import { transactIn } from '../context.ts'
import { isGuest } from '../groups/permission.ts'
import { matches } from '../platform/db/matches.ts'
import { pipelined } from '../platform/db/pipelined.ts'
import type { Database, Db } from '../platform/db/pool.ts'
import { columnOf } from '../platform/db/query.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { knownUrlOf } from '../realms/hosts.ts'
import { loadState, type Realm, RealmState } from '../realms/state.ts'
import type { Snapshot } from '../snapshot.ts'
import { reloadCaller } from '../users/authenticate.ts'
import type { Caller } from '../users/caller.ts'
import { isFull } from '../users/credential.ts'
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
  const opened = await ctx.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((transaction) =>
      pipelined(transaction, async (db) => {
        const { serverGeneration, stateEvent, ...place } = await placeOf(db, caller.realm_id)
        const shared = sharedBy(ctx, caller.realm_id, `${place.epoch} ${stateEvent}`)
        const { realm, accessVersion } = await shared('realm', () => loadState(db, caller.realm_id), realmSize)
        const snapshot = {
          db,
          caller: await reloadCaller(db, caller, new RealmState(realm, accessVersion)),
          ...{ realmUrl, serverGeneration, shared, ...clientOf(options, params), ...serverOf(ctx, realm) },
        }
        const state = await readSnapshot(snapshot, requestedParts)
        const queue = await insertQueue(db, caller, options, place, lifetime)
        return { ...queue, last_event_id: eventId(place.start), state }
      }),
    )
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
    slimPresence: options.slim_presence,
    presenceHistoryDays: params.presence_history_limit_days,
    capabilities: options.capabilities,
  }
}

function serverOf({ vault, config, mailer }: Context, realm: Realm) {
  return {
    vault,
    isDemo: config.mode === 'demo',
    uploadQuota: config.uploadQuota,
    hasBigBlueButton: config.bigBlueButton !== undefined,
    sendsEmails: mailer !== undefined && knownUrlOf(config, realm) !== undefined,
  }
}

/** Values of the realm that are cached as long as no event after `version` may concern them. */
function sharedBy({ sharedState }: Context, realmId: number, version: string): Snapshot['shared'] {
  return (key, load, sizeOf) => sharedState.getOrLoad(`${realmId} ${key}`, version, load, sizeOf)
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
    capabilities: params.client_capabilities ?? noCapabilities,
    is_zulip_client: params.is_zulip_client,
    ...(!isFull(caller.credential) && { hides_secrets: true }),
  }
}

const noCapabilities: ClientCapabilities = { notification_settings_null: false }

function lifetimeOf({ idle_queue_timeout, queue_lifespan_secs }: RegisterParams): number {
  if (idle_queue_timeout === 'mobile') return mobileLifetime
  return Math.min(idle_queue_timeout || queue_lifespan_secs || defaultLifetime, longestLifetime)
}

/** The last event of the realm, the last that may concern shared state, the epoch of the log, and the server generation. */
async function placeOf(db: Db, realmId: number) {
  return db
    .selectFrom(['realm_counters', 'server_generation'])
    .select(['last_event as start', 'state_event as stateEvent', 'epoch', 'generation as serverGeneration'])
    .where('realm_id', '=', realmId)
    .executeTakeFirstOrThrow()
}

async function insertQueue(
  db: Database,
  caller: Caller,
  options: QueueOptions,
  { start, epoch }: { start: number; epoch: number },
  lifetime: number,
): Promise<{ queue_id: string; queueCount: number }> {
  const own = { realm_id: caller.realm_id, user_id: caller.id }
  const earlier = db.selectFrom('queues').select(db.fn.countAll<number>().as('count')).where(matches(own))
  return db
    .insertInto('queues')
    .values({
      id: randomUUID(),
      ...own,
      credential_id: caller.credential?.id ?? null,
      start_event: start,
      acknowledged_event: start,
      epoch,
      lifetime_seconds: lifetime,
      options: JSON.stringify(options),
    })
    .returning(['id as queue_id', sql<number>`1 + (${earlier})`.as('queueCount')])
    .executeTakeFirstOrThrow()
}

async function deleteExcessQueues(ctx: Context, { realm_id, id: userId }: Caller): Promise<void> {
  const own = ctx.db.selectFrom('queues').select('id').where('realm_id', '=', realm_id).where('user_id', '=', userId)
  const excess = await columnOf(own.orderBy('last_seen', 'desc').offset(maxQueuesPerUser))
  if (excess.length > 0) await endQueues(ctx, realm_id, excess)
}

/** Deletes queues and ends the waits on them in all processes. Returns the number of deleted queues. */
export async function endQueues(
  ctx: Pick<Context, 'db' | 'follower' | 'wake' | 'log'>,
  realmId: number,
  ids: string[],
): Promise<number> {
  return transactIn(ctx, realmId, async (tx) => {
    const queues = tx.db.deleteFrom('queues').where(matches({ id: ids, realm_id: realmId }))
    const ended_queues = await columnOf(queues.returning('id'))
    if (ended_queues.length > 0) tx.emitInternal({ ended_queues })
    return ended_queues.length
  })
}
