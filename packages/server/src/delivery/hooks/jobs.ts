import { type Context, transactIn } from '../../context.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import { lockKnownKey, storeKey } from './hook-messages.ts'
import { receiverOf } from './hook-receiver.ts'
import { rewrite } from './post-message.ts'
import { findHook } from './queries.ts'

/** Writes the present count into a message that counts up. */
export async function showHookCount(
  ctx: Context,
  { realm_id, hook_id, key_hash }: Job<'show_hook_count'>,
): Promise<void> {
  const hook = await findHook(ctx.db, realm_id, hook_id)
  const state = await ctx.realms.get(realm_id)
  const to = hook && (await receiverOf(ctx, state, hook).catch(() => undefined))
  if (!to) return
  await transactIn(ctx, realm_id, async (tx) => {
    const known = await lockKnownKey(tx, hook_id, Buffer.from(key_hash, 'hex'))
    if (!known || known.message_id === null || known.shown === known.count) return
    await rewrite(tx, ctx, to.bot, known)
    await storeKey(tx, hook_id, known.key_hash, { shown: known.count, edited_at: new Date() })
  })
}
