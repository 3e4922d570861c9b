import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import type { Destination } from './destination.ts'
import type { Mentioned } from './mentions.ts'

/** An outgoing webhook that a message triggers, and why. */
export interface Trigger {
  bot_id: number
  trigger: 'mention' | 'direct_message'
}

declare module '../../../platform/jobs/tasks.ts' {
  interface Tasks {
    deliver_webhooks: { bot_id: number }
  }
}

const outgoingWebhook = 3

/**
 * The outgoing webhooks that a message triggers. Messages from bots trigger none, or two bots could reply to each
 * other forever.
 */
export function triggersOf(
  sender: { id: number; bot_type: number | null },
  destination: Destination,
  { services = [] }: Mentioned,
): Trigger[] {
  if (sender.bot_type !== null) return []
  if (destination.kind === 'channel') return services.map((bot_id) => ({ bot_id, trigger: 'mention' }))
  return destination.participants
    .filter(({ bot_type, is_active }) => bot_type === outgoingWebhook && is_active)
    .map(({ id }) => ({ bot_id: id, trigger: 'direct_message' }))
}

/** Stores the deliveries and enqueues the jobs for them, in the transaction of the message. */
export async function recordTriggers(tx: Tx, message_id: number, triggers: Trigger[]): Promise<void> {
  if (triggers.length === 0) return
  const bots = triggers.map(({ bot_id }) => bot_id)
  const names = triggers.map(({ trigger }) => trigger)
  await sql`
    insert into webhook_deliveries (realm_id, message_id, bot_id, trigger)
    select ${tx.realmId}, ${message_id}, t.bot_id, t.trigger
      from unnest(${bots}::bigint[], ${names}::text[]) with ordinality as t(bot_id, trigger, position)
     where not exists (select from bot_services s where s.realm_id = ${tx.realmId} and s.bot_id = t.bot_id
                          and t.trigger <> all(s.triggers))
     order by t.position`.execute(tx.db)
  // One waiting job per bot is enough to wake it, so a busy bot does not fill the queue of jobs for the others.
  for (const { bot_id } of triggers.toSorted((a, b) => a.bot_id - b.bot_id))
    await tx.enqueue('deliver_webhooks', { bot_id }, { key: `deliver_webhooks:${tx.realmId}:${bot_id}` })
}
