import { moduleUrl } from '../../platform/installation.ts'
import { TaskFailed, WorkerPool } from '../../platform/worker-pool.ts'
import type { Options, ParsedEmail } from './parse-email.ts'

export interface MailTask {
  raw: Uint8Array
  options: Options
}

/** An email of 25 MiB takes a few seconds; the rest is for a busy machine. */
const deadlineMilliseconds = 30_000
/** Of lines that may separate parts: the time for each part is small, but it adds up. */
const mostSeparators = 20_000

const pool = new WorkerPool({
  module: moduleUrl('mailWorker'),
  workers: 2,
  /** A worker that needs more is stopped, not the server. */
  resourceLimits: { maxOldGenerationSizeMb: 256 },
})

/** Undefined for an email that cannot be read within the limits. Owners take turns. */
export async function parseInWorker(owner: string, raw: Buffer, options: Options): Promise<ParsedEmail | undefined> {
  if (hasTooManyParts(raw)) return undefined
  try {
    return await pool.run<ParsedEmail>(owner, { raw, options } satisfies MailTask, deadlineMilliseconds)
  } catch (error) {
    if (error instanceof TaskFailed) return undefined
    throw error
  }
}

function hasTooManyParts(raw: Buffer): boolean {
  let count = 0
  for (let place = raw.indexOf('\n--'); place >= 0; place = raw.indexOf('\n--', place + 3)) count++
  return count > mostSeparators
}
