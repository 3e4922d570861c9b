import type { Letter } from './automaton.ts'

/** What an engine has left to try after some text, in order. */
export interface Situation {
  key: string
  before: Letter
  list: number[]
}

export interface Step {
  to: Situation
  /** How many ways lead from each entry of the list to each entry of the next. */
  ways: Map<number, Map<number, number>>
  /** The entry that matches, after which a search goes on. */
  matching: number | undefined
}

export function situation(before: Letter, list: number[]): Situation {
  return { key: `${before}:${list}`, before, list }
}

/** Which entries of which situations lead back to themselves. */
export class Loops {
  readonly #component = new Map<string, number>()
  readonly #looping = new Set<number>()
  readonly #next = new Map<string, Set<string>>()
  readonly #reached = new Map<number, Set<string>>()

  constructor(
    situations: Situation[],
    letters: Letter[],
    stepOf: (from: Situation, letter: Letter) => Step,
    targets: (step: Step, p: number) => Iterable<number>,
  ) {
    for (const from of situations)
      for (const letter of letters) {
        const step = stepOf(from, letter)
        for (const p of from.list)
          for (const q of targets(step, p)) addTo(this.#next, place(from, p), place(step.to, q))
      }
    this.#findComponents()
  }

  isLooping(at: Situation, p: number): boolean {
    return this.#looping.has(this.#component.get(place(at, p)) ?? -1)
  }

  areTogether(one: Situation, p: number, other: Situation, q: number): boolean {
    const component = this.#component.get(place(one, p))
    return component !== undefined && component === this.#component.get(place(other, q))
  }

  /** For looping entries: they reach what the others of their component reach. */
  reaches(at: Situation, p: number, q: number): boolean {
    const component = this.#component.get(place(at, p))!
    let reached = this.#reached.get(component)
    if (!reached) {
      reached = new Set([place(at, p)])
      for (const from of reached) for (const to of this.#next.get(from) ?? []) reached.add(to)
      this.#reached.set(component, reached)
    }
    return reached.has(place(at, q))
  }

  /** Tarjan's algorithm, without recursion because automatons may be long. */
  #findComponents(): void {
    const index = new Map<string, number>()
    const low = new Map<string, number>()
    const stack: string[] = []
    const onStack = new Set<string>()
    let components = 0
    for (const root of this.#next.keys()) {
      if (index.has(root)) continue
      const work: { at: string; targets: Iterator<string> }[] = []
      const enter = (at: string) => {
        index.set(at, index.size)
        low.set(at, index.get(at)!)
        stack.push(at)
        onStack.add(at)
        work.push({ at, targets: (this.#next.get(at) ?? new Set<string>()).values() })
      }
      enter(root)
      while (work.length > 0) {
        const { at, targets } = work.at(-1)!
        const { value: to, done } = targets.next()
        if (!done) {
          if (!index.has(to)) enter(to)
          else if (onStack.has(to)) low.set(at, Math.min(low.get(at)!, index.get(to)!))
          continue
        }
        work.pop()
        const parent = work.at(-1)?.at
        if (parent !== undefined) low.set(parent, Math.min(low.get(parent)!, low.get(at)!))
        if (low.get(at) !== index.get(at)) continue
        const members = stack.splice(stack.lastIndexOf(at))
        for (const member of members) {
          onStack.delete(member)
          this.#component.set(member, components)
        }
        if (members.length > 1 || this.#next.get(at)?.has(at)) this.#looping.add(components)
        components++
      }
    }
  }
}

function place({ key }: Situation, p: number): string {
  return `${key}/${p}`
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key)
  if (known) known.add(value)
  else map.set(key, new Set([value]))
}
