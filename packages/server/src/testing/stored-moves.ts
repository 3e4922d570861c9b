import { loadCaller } from '../callers/caller.ts'
import { loadState } from '../callers/realm-state.ts'
import { transactIn } from '../context.ts'
import { checkEdit, type EditParams } from '../conversations/messages/edit/checks.ts'
import { lockMessage } from '../conversations/messages/edit/lock-for-edit.ts'
import { storeMove } from '../conversations/messages/move/large-moves.ts'
import { planMove } from '../conversations/messages/move/move.ts'
import { movePart } from '../conversations/messages/move/move-parts.ts'
import { emitPolicies } from '../conversations/topics/policies.ts'
import { column } from '../platform/db/query.ts'
import type { Actor } from './actor.ts'
import type { World } from './world.ts'

/** Copies a message until its topic has this many. Returns the ids of all. */
export async function fillTopic({ ctx, realmId }: World, message: number, count: number): Promise<number[]> {
  const copies = await column<number>(ctx.db)`
    with n as (
      update realm_counters set last_message = last_message + ${count - 1} where realm_id = ${realmId}
      returning last_message - ${count - 1} as before)
    insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
    select m.realm_id, n.before + k, m.recipient_id, m.channel_id, m.topic_id, m.sender_id, now(), m.client, m.content, m.rendered_content
      from n, messages m, generate_series(1, ${count - 1}::integer) k
     where m.realm_id = ${realmId} and m.id = ${message}
    returning id`
  return [message, ...copies]
}

export function moveDeps({ ctx }: World) {
  return { renderer: ctx.renderer, emitPolicies }
}

/** Stores a move as if it were large, without doing it. Returns a function that moves a part. */
export async function storesMove(world: World, actor: Actor, id: number, changes: Partial<EditParams>) {
  const { ctx, realmId } = world
  const notices = { send_notification_to_new_thread: false, send_notification_to_old_thread: false }
  const params = { propagate_mode: 'change_all' as const, ...notices, ...changes }
  const moveId = await transactIn(ctx, realmId, async (tx) => {
    const caller = (await loadCaller(tx.db, await loadState(tx.db, realmId), actor.id))!
    const editing = await lockMessage(tx, caller, id, { moves: true, target: params.stream_id })
    const change = await checkEdit(tx.db, caller, editing, params)
    return storeMove(
      tx,
      caller,
      await planMove(tx, caller, editing, change, params.propagate_mode, editing.edit),
      params,
    )
  })
  return async (size: number) =>
    (await transactIn(ctx, realmId, (tx) => movePart(tx, moveDeps(world), moveId, size))).isComplete
}
