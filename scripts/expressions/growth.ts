import { type Automaton, buildAutomaton, type Letter, nothing, Unsupported } from './automaton.ts'
import { Loops, type Situation, type Step, situation } from './loops.ts'

const mostWork = 300_000

/**
 * A text whose repetition takes an expression more than linear time, or undefined if there is none. The time is more than
 * linear if the number of different ways to read a text grows with it (Weber and Seidl: two states p and q, and a word that
 * leads from p to p, from p to q and from q to q), as long as these ways are tried: none of them, and none before them, matches.
 */
export function findGrowth(source: string, flags: string): string | undefined {
  return new Search(buildAutomaton(source, flags)).find()
}

class Search {
  readonly #automaton: Automaton
  readonly #steps = new Map<string, Step>()
  readonly #failing = new Map<string, boolean>()
  #work = 0

  constructor(automaton: Automaton) {
    this.#automaton = automaton
  }

  find(): string | undefined {
    const { start, search, samples } = this.#automaton
    const situations = this.#reachable(situation(nothing, [search ?? start]))
    const edges = (targets: (step: Step, p: number) => Iterable<number>) =>
      new Loops(situations, samples.keys().toArray(), (from, letter) => this.#step(from, letter), targets)
    const loops: AllLoops = {
      within: edges(({ ways }, p) => ways.get(p)!.keys()),
      across: edges((step, p) => this.#targets(step, p)),
    }
    for (const from of situations)
      for (const p of from.list) {
        const isOwn = loops.within.isLooping(from, p)
        const word =
          (isOwn && this.#twice(loops.within, from, p)) ||
          ((isOwn || p === search) && this.#branch(loops, from, p)) ||
          undefined
        if (word) return word.map((letter) => samples[letter]).join('')
      }
    return undefined
  }

  /** Where an entry leads, also by a match after which the search goes on. */
  *#targets({ ways, matching }: Step, p: number): Iterable<number> {
    yield* ways.get(p)!.keys()
    if (matching === p && this.#automaton.search !== undefined) yield this.#automaton.search
  }

  #reachable(first: Situation): Situation[] {
    const found = new Map([[first.key, first]])
    for (const from of found.values())
      for (const letter of this.#automaton.samples.keys()) {
        const { to } = this.#step(from, letter)
        if (!found.has(to.key)) found.set(to.key, to)
      }
    return [...found.values()]
  }

  /** Two ways from an entry to the same next one, on a way back to the entry. */
  #twice(loops: Loops, from: Situation, p: number): Letter[] | undefined {
    for (const letter of this.#automaton.samples.keys()) {
      const { to, ways } = this.#step(from, letter)
      for (const [q, count] of ways.get(p)!)
        if (count > 1 && loops.areTogether(from, p, to, q) && this.#canFail(from, p)) return [letter]
    }
    return undefined
  }

  #branch(loops: AllLoops, from: Situation, p: number): Letter[] | undefined {
    for (const q of from.list) {
      if (q === p || !loops.within.isLooping(from, q) || !loops.across.reaches(from, p, q)) continue
      if (!this.#canFail(from, q)) continue
      const word = this.#commonWord(loops, from, p, q)
      if (word) return word
    }
    return undefined
  }

  /** Leads from p to p, from p to q and from q to q, and back to the same situation. */
  #commonWord({ within, across }: AllLoops, from: Situation, p: number, q: number): Letter[] | undefined {
    type Place = { at: Situation; x: number; y: number; z: number; word: Letter[] }
    const queue: Place[] = [{ at: from, x: p, y: p, z: q, word: [] }]
    const seen = new Set<string>()
    for (const { at, x, y, z, word } of queue)
      for (const letter of this.#automaton.samples.keys()) {
        const step = this.#step(at, letter)
        const { to, ways } = step
        const xs = [...this.#targets(step, x)].filter((one) => across.areTogether(from, p, to, one))
        const zs = [...ways.get(z)!.keys()].filter((one) => within.areTogether(from, q, to, one))
        for (const x2 of xs)
          for (const z2 of zs)
            for (const y2 of this.#targets(step, y)) {
              if (to.key === from.key && x2 === p && y2 === q && z2 === q) return [...word, letter]
              const key = `${to.key}|${x2},${y2},${z2}`
              if (seen.has(key)) continue
              seen.add(key)
              this.#count()
              queue.push({ at: to, x: x2, y: y2, z: z2, word: [...word, letter] })
            }
      }
    return undefined
  }

  #count(): void {
    if (++this.#work > mostWork) throw new Unsupported('The expression is too complicated to be judged.')
  }

  /** Whether a text can follow after which this entry of the list, and all before it, have failed. */
  #canFail({ before, list }: Situation, entry: number): boolean {
    return this.#automaton.isUncertain || this.#fails(situation(before, list.slice(0, list.indexOf(entry) + 1)))
  }

  #fails(first: Situation): boolean {
    const queue = [first]
    const seen = new Set([first.key])
    for (const at of queue) {
      if (this.#failing.get(at.key) || at.list.length === 0 || this.#step(at, nothing).matching === undefined) {
        this.#failing.set(first.key, true)
        return true
      }
      for (const letter of this.#automaton.samples.keys()) {
        const { to, matching } = this.#step(at, letter)
        if (matching !== undefined || seen.has(to.key)) continue
        seen.add(to.key)
        queue.push(to)
      }
    }
    return false
  }

  #step(from: Situation, letter: Letter): Step {
    const key = `${from.key}>${letter}`
    const known = this.#steps.get(key)
    if (known) return known
    this.#count()
    const step = this.#read(from, letter)
    this.#steps.set(key, step)
    return step
  }

  /** After a match the search goes on behind it, while what comes before it in the list may still fail. */
  #read({ before, list }: Situation, letter: Letter): Step {
    const { nodes, search, isUncertain } = this.#automaton
    const next = new Set<number>()
    const ways = new Map<number, Map<number, number>>(list.map((entry) => [entry, new Map()]))
    let matching: number | undefined
    const visit = (id: number, entry: number, path: number[]): void => {
      const node = nodes[id]!
      if (matching !== undefined && !isUncertain) return
      // Twice, because a loop inside of another one begins again when the outer one does.
      if (path.filter((one) => one === id).length > 1) return
      if (node.kind === 'choice') for (const one of node.next) visit(one, entry, [...path, id])
      else if (node.kind === 'condition') {
        if (node.holds(before, letter)) visit(node.next, entry, [...path, id])
      } else if (node.kind === 'match') {
        matching ??= entry
        if (search !== undefined) next.add(search)
      } else if (node.kind === 'read' && node.letters.has(letter)) {
        next.add(node.next)
        const own = ways.get(entry)!
        own.set(node.next, (own.get(node.next) ?? 0) + 1)
      }
    }
    for (const entry of list) visit(entry, entry, [])
    return { to: situation(letter, [...next]), ways, matching }
  }
}

interface AllLoops {
  /** Inside of one attempt. */
  within: Loops
  /** Also those that go on after a match. */
  across: Loops
}
