import { oneLine } from './rows/row-values.ts'
import type { Counts, Problem } from './source.ts'

const mostProblems = 100_000
const longestText = 1000

/** Counts what a file has, and lists what could not be taken over. */
export class Problems {
  readonly #counts = new Map<string, number>()
  readonly problems: Problem[] = []
  /** What the organization is called. */
  name: string | undefined

  /** Places and errors quote the file, which may contain anything. */
  problem({ kind, place, error }: Problem): void {
    this.count(`problems: ${kind}`)
    if (this.problems.length < mostProblems)
      this.problems.push({ kind, place: oneLine(place, longestText), error: oneLine(error, longestText) })
  }

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by)
  }

  get counts(): Counts {
    return Object.fromEntries(this.#counts)
  }

  organization(name: string): void {
    this.name = name
  }
}
