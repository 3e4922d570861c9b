import type { QueueEvent } from '@parley/api/events'
import { sql } from 'kysely'
import { type LogEvent, readPage } from '../../events/log.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { many, maybeOne } from '../../platform/db/query.ts'
import type { Vault } from '../../platform/secrets.ts'
import { type Listener, loadListeners } from '../queues/listener.ts'
import type { Queue } from '../queues/queue.ts'
import { wireEvents } from '../queues/wire-events.ts'
import { type Concern, concernsOf, type LogTrigger } from './event-triggers.ts'

/** Events that are looked at in one transaction. */
const batchSize = 500
/** With more open deliveries, a webhook reads no further: what follows stays in the log. */
const maxOpen = 1000

interface Target {
  realm_id: number
  bot_id: number
  last_event: number
  triggers: LogTrigger[]
  channel_ids: number[] | null
  filter: [string, string][]
}

interface Planned extends Concern {
  event_seq: number
  event: string | null
}

/**
 * Records the deliveries that the next events of the log cause for a webhook, and moves its cursor past them in the same
 * transaction. So what is sent, edited and reacted to costs nothing more, and a crash loses or repeats nothing. Returns
 * whether there was something to read.
 */
export function planNextEvents(db: Database, vault: Vault, realmId: number, botId: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const target = await lockTarget(tx, realmId, botId)
    if (!target) return false
    const page = await readPage(tx, realmId, target.last_event, batchSize)
    const [listener] = await loadListeners(tx, [{ realmId, userId: botId }])
    await insertDeliveries(
      tx,
      target,
      page.events.flatMap((event) => plannedFor(target, listener!, event, vault)),
    )
    await tx
      .updateTable('webhook_cursors')
      .set({ last_event: page.events.at(-1)?.seq ?? page.last_event })
      .where(matches({ realm_id: realmId, bot_id: botId }))
      .execute()
    return true
  })
}

/** Finds a webhook that may read on. One for which another process plans is skipped. */
function lockTarget(db: Database, realmId: number, botId: number): Promise<Target | undefined> {
  return maybeOne<Target>(db)`
    select w.realm_id, w.bot_id, w.last_event, s.triggers, s.channel_ids, s.filter
      from webhook_cursors w
      join bot_services s on s.realm_id = w.realm_id and s.bot_id = w.bot_id
      join users u on u.realm_id = w.realm_id and u.id = w.bot_id
      join realm_counters c on c.realm_id = w.realm_id
     where w.realm_id = ${realmId} and w.bot_id = ${botId} and c.last_event > w.last_event
       and s.paused_at is null and u.is_active
       and (select count(*) from webhook_deliveries d
             where d.realm_id = w.realm_id and d.bot_id = w.bot_id and d.status in ('waiting', 'sending')) < ${maxOpen}
       for update of w skip locked`
}

function plannedFor(target: Target, listener: Listener, event: LogEvent, vault: Vault): Planned[] {
  const queue = queueOf(target)
  const received = listener.receives(event, queue) ?? (isChosen(target, event) ? 'observed' : undefined)
  if (!received) return []
  return wireEvents(event, queue, received === 'received', vault).flatMap(({ text, type }) =>
    concernsOf(JSON.parse(text) as QueueEvent, target.bot_id)
      .filter(({ trigger }) => target.triggers.includes(trigger))
      .map((concern) => ({ ...concern, event_seq: event.seq, event: type === 'message' ? null : text })),
  )
}

/** What happens in a chosen channel. Whether the bot may read it is checked when it is delivered. */
function isChosen({ channel_ids }: Target, { audience }: LogEvent): boolean {
  return audience.channel !== undefined && channel_ids?.includes(audience.channel) === true
}

/** Endpoints get events as an event queue of the bot would. */
function queueOf({ realm_id, bot_id, last_event, filter }: Target): Queue {
  const capabilities = { notification_settings_null: false, bulk_message_deletion: true, archived_channels: true }
  const options = {
    event_types: null,
    narrow: filter,
    all_public_streams: false,
    apply_markdown: false,
    client_gravatar: false,
    slim_presence: true,
    include_subscribers: false,
    capabilities,
    is_zulip_client: false,
    hides_secrets: true,
  }
  return { id: '', realm_id, user_id: bot_id, start_event: last_event, lifetime_seconds: 0, options, epoch: 0 }
}

const anywhere: LogTrigger[] = ['user_joined', 'channel_created']

/** A message causes one delivery: because it is for the bot, or begins a topic, or at last because it is in a channel. */
async function insertDeliveries(db: Database, target: Target, planned: Planned[]): Promise<void> {
  if (planned.length === 0) return
  const { realm_id, bot_id, channel_ids, triggers } = target
  const values = <T>(read: (one: Planned) => T) => planned.map(read)
  await sql`
    with planned as (
      select p.*, coalesce(p.channel_id, m.channel_id) as place,
             not exists (select from messages earlier
                          where earlier.realm_id = m.realm_id and earlier.topic_id = m.topic_id and earlier.id < m.id) as is_first
        from unnest(${values(({ trigger }) => trigger)}::text[], ${values((one) => one.message_id ?? null)}::bigint[],
                    ${values((one) => one.channel_id ?? null)}::bigint[], ${values((one) => one.event_seq)}::bigint[],
                    ${values(({ event }) => event)}::text[])
               with ordinality as p(trigger, message_id, channel_id, event_seq, event, position)
        left join messages m on m.realm_id = ${realm_id} and m.id = p.message_id
    )
    insert into webhook_deliveries (realm_id, bot_id, trigger, message_id, channel_id, event_seq, event)
    select ${realm_id}, ${bot_id}, trigger, message_id, place, event_seq, event from planned p
     where (${channel_ids}::bigint[] is null or trigger = any(${anywhere}::text[]) or place = any(${channel_ids}::bigint[]))
       and case trigger
             when 'topic_started' then is_first
             when 'channel_message' then not (is_first and 'topic_started' = any(${triggers}::text[]))
             else true end
       and not (p.event is null and exists (select from webhook_deliveries d
                                             where d.realm_id = ${realm_id} and d.bot_id = ${bot_id}
                                               and d.message_id = p.message_id and d.event_seq is null))
     order by position`.execute(db)
}

/** Webhooks whose cursor is behind the log. */
export async function webhooksBehind(db: Db): Promise<{ realm_id: number; bot_id: number }[]> {
  return many<{ realm_id: number; bot_id: number }>(db)`
    select w.realm_id, w.bot_id
      from webhook_cursors w
      join realm_counters c on c.realm_id = w.realm_id
      join bot_services s on s.realm_id = w.realm_id and s.bot_id = w.bot_id
     where c.last_event > w.last_event and s.paused_at is null`
}
