import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { answers } from '../platform/db/pool.ts'

const readyWithinMilliseconds = 2000

/** Why this process cannot serve clients; undefined if it can. */
export async function notReadyReason(ctx: Context): Promise<string | undefined> {
  if (ctx.shutdown.isStopping) return 'this server is stopping'
  if (ctx.committer.isStuck) return 'the database does not answer to sent messages'
  if (!ctx.follower.isFresh || ctx.follower.isStuck) return 'the event log cannot be read'
  if (!(await isDatabaseReachable(ctx))) return 'the database does not answer'
  return ctx.web.problem && `there is no web client: ${ctx.web.problem}`
}

async function isDatabaseReachable({ pool }: Context): Promise<boolean> {
  return Promise.race([answers(pool), sleep(readyWithinMilliseconds, false, { ref: false })])
}
