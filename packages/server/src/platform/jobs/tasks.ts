/**
 * The tasks that `tx.enqueue` accepts: name and payload. Each feature adds its own with `declare module`, so that this
 * file knows none of them.
 */
export interface Tasks {
  /** Deletes a file that no row refers to any more. */
  delete_file: { path: string }
}

/** What a task receives: its payload and the realm it belongs to. */
export type Job<Name extends keyof Tasks> = Tasks[Name] & { realm_id: number }

/**
 * When a job runs. Of jobs with the same key, only the one enqueued last runs; jobs with the same line run one after
 * another.
 */
export interface Plan {
  runAt?: Date
  key?: string
  line?: string
}
