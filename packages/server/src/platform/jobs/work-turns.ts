/** A job that has not ended after this time keeps no other one waiting. */
const shortMilliseconds = 20
/** After this many jobs in a row, more are probably waiting. */
const manyJobs = 10

/**
 * Lets workers look for jobs one after another, each when the job of the previous one has ended or takes longer: work done at
 * the same time needs a connection each, and most periodic jobs end at once. Where many jobs wait, they are done at the same time.
 */
export class WorkTurns {
  #last = Promise.resolve()
  #foundInARow = 0

  /** Returns whether a job was found and performed. */
  async run<Job>(take: () => Promise<Job | undefined>, perform: (job: Job) => Promise<void>): Promise<boolean> {
    const previous = this.#last
    const next = Promise.withResolvers<void>()
    this.#last = next.promise
    await previous
    try {
      const job = await take()
      this.#foundInARow = job ? this.#foundInARow + 1 : 0
      if (!job) return false
      setTimeout(next.resolve, this.#foundInARow < manyJobs ? shortMilliseconds : 0)
      await perform(job)
      return true
    } finally {
      next.resolve()
    }
  }
}
