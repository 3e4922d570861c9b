import type { Delivering } from './attempt.ts'
import { takeDelivery } from './deliveries.ts'
import { deliverEvent } from './event-delivering.ts'
import { deliverMessage } from './message-delivering.ts'
import { planNextEvents } from './plan-events.ts'

/** Makes the next due attempt for a bot, or reads the event log for it. Returns whether there was something to do. */
export async function deliverNext(
  ctx: Delivering,
  realmId: number,
  botId: number,
  signal: AbortSignal,
): Promise<boolean> {
  const delivery = await takeDelivery(ctx.db, realmId, botId)
  if (!delivery) return planNextEvents(ctx.db, ctx.vault, realmId, botId)
  const { message_id } = delivery
  if (delivery.event_seq === null && message_id !== null) await deliverMessage(ctx, { ...delivery, message_id }, signal)
  else await deliverEvent(ctx, delivery, signal)
  return true
}
