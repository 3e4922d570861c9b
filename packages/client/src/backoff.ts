const shortest = 500
const longest = 30_000

/** How long to wait before trying again: longer each time, and never at the same moment as everybody else. */
export class Backoff {
  #failures = 0

  /** Milliseconds to wait after one more failure. */
  failed(): number {
    const most = Math.min(longest, shortest * 2 ** this.#failures++)
    return most / 2 + (Math.random() * most) / 2
  }
}

/** Resolves after a time, or at once when the signal is given. */
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
