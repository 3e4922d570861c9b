import type { Context } from '../context.ts'
import { until } from './until.ts'

/** Starts a poll, and resolves when it is waiting. */
export async function startsWaiting<T>(ctx: Context, start: () => Promise<T>): Promise<{ answer: Promise<T> }> {
  const before = await waitingPolls(ctx)
  const answer = start()
  await until(async () => (await waitingPolls(ctx)) > before)
  return { answer }
}

/** How many clients of the process wait for events. */
export async function waitingPolls({ metrics }: Context): Promise<number> {
  return Number(/parley_waiting_polls (\d+)/.exec(await metrics.registry.metrics())![1])
}
