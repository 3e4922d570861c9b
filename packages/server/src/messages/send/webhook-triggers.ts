import type { Tx } from '../../events/transact.ts'
import type { Destination } from './destination.ts'
import type { Mentioned } from './mentions.ts'

/** An outgoing webhook that a message is meant for, and why. */
export interface Trigger {
  bot_id: number
  trigger: 'mention' | 'direct_message'
}

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    deliver_webhooks: { bot_id: number }
  }
}

const outgoingWebhook = 3

/** The bots elsewhere that a message wakes. What bots say wakes none, or two of them could talk for ever. */
export function triggersOf(
  sender: { id: number; bot_type: number | null },
  destination: Destination,
  { services = [] }: Mentioned,
): Trigger[] {
  if (sender.bot_type !== null) return []
  if (destination.kind === 'channel') return services.map((bot_id) => ({ bot_id, trigger: 'mention' }))
  return destination.people
    .filter(({ bot_type, is_active }) => bot_type === outgoingWebhook && is_active)
    .map(({ id }) => ({ bot_id: id, trigger: 'direct_message' }))
}

/** Writes down what is to be delivered, and asks for it, in the transaction of the message. */
export async function recordTriggers(tx: Tx, message_id: number, triggers: Trigger[]): Promise<void> {
  if (triggers.length === 0) return
  await tx.db
    .insertInto('webhook_deliveries')
    .values(triggers.map((trigger) => ({ realm_id: tx.realmId, message_id, ...trigger })))
    .execute()
  for (const { bot_id } of triggers) await tx.enqueue('deliver_webhooks', { bot_id })
}
