/**
 * What `tx.enqueue` may ask for: the name of a task, and what the task is to be told. Each feature adds its own with
 * `declare module`, so that this file knows none of them.
 */
export interface Tasks {
  /** Removes a file that no row names any more. */
  delete_file: { path: string }
}

/** What a task is given: what it was enqueued with, and whose job it is. */
export type Job<Name extends keyof Tasks> = Tasks[Name] & { realm_id: number }

/**
 * When a job is to be done. Of jobs with the same key only the one that was enqueued last is done; jobs of one line are
 * done one after another.
 */
export interface Plan {
  runAt?: Date
  key?: string
  line?: string
}
