import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { sendNotices } from '../../conversations/messages/send/notices.ts'
import { findUsers } from '../../people/users/find-users.ts'
import { matches } from '../../platform/db/matches.ts'
import type { HookRow } from './queries.ts'

/** Tells the owner of the bot, once, that what the hook receives cannot be posted. */
export async function reportProblem(ctx: Context, hook: HookRow, bot: Caller, reason: string): Promise<void> {
  if (hook.problem_reported || bot.bot_owner_id === null) return
  await transactIn(ctx, hook.realm_id, async (tx) => {
    const reported = await tx.db
      .updateTable('hooks')
      .set({ problem_reported: true })
      .where(matches({ realm_id: hook.realm_id, id: hook.id, problem_reported: false }))
      .executeTakeFirstOrThrow()
    if (reported.numUpdatedRows === 0n) return
    const people = await findUsers(tx.db, bot.state, [bot.id, bot.bot_owner_id!])
    const sender = people.find(({ id }) => id === bot.id)
    const owner = people.find(({ id }) => id === bot.bot_owner_id)
    if (!sender || !owner?.is_active) return
    const participants = [sender, owner].sort((a, b) => a.id - b.id)
    const name = hook.name.replaceAll('`', "'")
    const content = `What the incoming hook \`${name}\` receives cannot be posted: ${reason} Its log keeps the requests, so that you can replay them.`
    await sendNotices(tx, ctx, bot.realm, [{ sender, destination: { kind: 'direct', participants }, content }])
  })
}

/** From now on, the next problem is a new one. */
export async function reportSolved({ db }: Context, { realm_id, id, problem_reported }: HookRow): Promise<void> {
  if (!problem_reported) return
  await db.updateTable('hooks').set({ problem_reported: false }).where(matches({ realm_id, id })).execute()
}
