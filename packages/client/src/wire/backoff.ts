const shortest = 500
const longest = 30_000

/** The time to wait before a retry: longer after each failure, with jitter. */
export class Backoff {
  #failures = 0

  /** Milliseconds to wait after one more failure. */
  failed(): number {
    const most = Math.min(longest, shortest * 2 ** this.#failures++)
    return most / 2 + (Math.random() * most) / 2
  }
}

/** Resolves after a time, or immediately when aborted. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', done)
  })
}
