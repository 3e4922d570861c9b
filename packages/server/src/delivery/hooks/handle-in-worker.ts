import type { HookOptions, HookRequest, Outcome } from '@parley/integrations/handle'
import { moduleUrl } from '../../platform/installation.ts'
import { TaskFailed, WorkerPool } from '../../platform/worker-pool.ts'

export interface HookTask {
  integration: string
  request: HookRequest
  options: HookOptions
}

/** Templates stop by themselves after a fifth of it; this ends what their limits do not see. */
const deadlineMilliseconds = 1000

const pool = new WorkerPool({ module: moduleUrl('hookWorker'), waitingPerOwner: 100 })

/** Hooks take turns: the requests of one delay those of another by one at most. */
export async function handleInWorker(owner: string, task: HookTask): Promise<Outcome> {
  try {
    return await pool.run<Outcome>(owner, task, deadlineMilliseconds)
  } catch (error) {
    if (error instanceof TaskFailed) return { kind: 'malformed', reason: 'It took too long to make a message of it.' }
    throw error
  }
}
