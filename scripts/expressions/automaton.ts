import { type AST, RegExpParser } from '@eslint-community/regexpp'

/** A class of characters that the expression does not tell apart, or nothing: before the first and after the last one. */
export type Letter = number
export const nothing: Letter = -1

export type Node =
  | { kind: 'read'; letters: Set<Letter>; next: number }
  /** In the order in which they are tried. */
  | { kind: 'choice'; next: number[] }
  | { kind: 'condition'; holds(before: Letter, after: Letter): boolean; next: number }
  | { kind: 'match' }
  | { kind: 'failure' }

/** What an engine that backtracks does. */
export interface Automaton {
  nodes: Node[]
  /** Where an attempt begins. */
  start: number
  /** Tries at every place of the text; undefined for sticky expressions. */
  search: number | undefined
  /** One character of each class. */
  samples: string[]
  /** Has parts that are only approximated, so that a match is never certain. */
  isUncertain: boolean
}

export class Unsupported extends Error {}

/** A repetition with more than so many rounds counts as one without an end. */
const manyRounds = 1000
/** The rounds of others beyond these change nothing about growth. */
const fewRounds = 2

type Leaf = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass

export function buildAutomaton(source: string, flags: string): Automaton {
  const isUnicode = /[uv]/.test(flags)
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const { samples, lettersOf, isWord, isLineEnd } = alphabet(pattern, flags.replace(/[dgmy]/g, ''), isUnicode)
  const nodes: Node[] = []
  let isUncertain = false
  const add = (node: Node) => nodes.push(node) - 1

  const alternatives = (all: AST.Alternative[], next: number): number =>
    all.length === 1
      ? sequence(all[0]!, next)
      : add({ kind: 'choice', next: all.map((alternative) => sequence(alternative, next)) })

  const sequence = ({ elements }: AST.Alternative, next: number): number =>
    elements.reduceRight((after, element) => build(element, after), next)

  const build = (element: AST.Element, next: number): number => {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return alternatives(element.alternatives, next)
      case 'Quantifier':
        return repetition(element, next)
      case 'Assertion':
        return assertion(element, next)
      case 'Backreference':
        isUncertain = true
        return [element.resolved].flat().reduce((after, group) => alternatives(group.alternatives, after), next)
      default:
        return add({ kind: 'read', letters: lettersOf(element as Leaf), next })
    }
  }

  const repetition = ({ element, min, max, greedy }: AST.Quantifier, next: number): number => {
    const inOrder = (again: number) => (greedy ? [again, next] : [next, again])
    let start = next
    if (max > manyRounds) {
      const loop: Node = { kind: 'choice', next: [] }
      start = add(loop)
      loop.next = inOrder(build(element, start))
    } else
      for (let round = Math.min(max - min, fewRounds); round > 0; round--)
        start = add({ kind: 'choice', next: inOrder(build(element, start)) })
    for (let round = Math.min(min, fewRounds); round > 0; round--) start = build(element, start)
    return start
  }

  const assertion = (element: AST.Assertion, next: number): number => {
    const isLine = (letter: Letter) => letter === nothing || (flags.includes('m') && isLineEnd(letter))
    switch (element.kind) {
      case 'start':
        return add({ kind: 'condition', holds: (before) => isLine(before), next })
      case 'end':
        return add({ kind: 'condition', holds: (_before, after) => isLine(after), next })
      case 'word':
        return add({
          kind: 'condition',
          holds: (before, after) => (isWord(before) !== isWord(after)) !== element.negate,
          next,
        })
      default:
        return look(element, next)
    }
  }

  /** One character is decided exactly. A longer text is tried, and may or may not be there. */
  const look = (element: AST.LookaroundAssertion, next: number): number => {
    const isAhead = element.kind === 'lookahead'
    const exact = oneLetter(element.alternatives)
    if (exact)
      return add({
        kind: 'condition',
        holds: (before, after) => exact(isAhead ? after : before) !== element.negate,
        next,
      })
    if (!isAhead && hasLoop(element)) throw new Unsupported('A lookbehind of any length cannot be judged.')
    isUncertain = true
    if (!isAhead) return next
    return add({ kind: 'choice', next: [alternatives(element.alternatives, add({ kind: 'failure' })), next] })
  }

  const oneLetter = (all: AST.Alternative[]) => {
    const tests = all.map(({ elements: [element, ...others] }) => {
      if (!element || others.length > 0) return undefined
      if (element.type === 'Assertion' && (element.kind === 'end' || element.kind === 'start'))
        return (letter: Letter) => letter === nothing || (flags.includes('m') && isLineEnd(letter))
      if (!/^Character/.test(element.type)) return undefined
      const letters = lettersOf(element as Leaf)
      return (letter: Letter) => letters.has(letter)
    })
    return tests.every((test) => test !== undefined)
      ? (letter: Letter) => tests.some((test) => test(letter))
      : undefined
  }

  const start = alternatives(pattern.alternatives, add({ kind: 'match' }))
  return {
    nodes,
    start,
    search: flags.includes('y') ? undefined : addSearch(nodes, start, samples),
    samples,
    isUncertain,
  }
}

/** Tries here before it goes on to the next character. */
function addSearch(nodes: Node[], start: number, samples: string[]): number {
  const search = nodes.length
  nodes.push({ kind: 'choice', next: [start, search + 1] })
  nodes.push({ kind: 'read', letters: new Set(samples.keys()), next: search })
  return search
}

function hasLoop(element: AST.LookaroundAssertion): boolean {
  return /[*+]|\{\d+,\}/.test(element.raw.replace(/\\.|\[[^\]]*\]/g, ''))
}

const usual = [
  ...Array.from({ length: 128 }, (_, code) => code),
  ...[0xa0, 0xe9, 0xdf, 0xbd, 0x301, 0x4e2d, 0x200d, 0x2028, 0x20e3, 0xfe0f, 0xe000, 0x1f600, 0x1f3fb, 0x1f1e6],
]

/** Groups characters by the parts of the expression that match them. */
function alphabet(pattern: AST.Pattern, flags: string, isUnicode: boolean) {
  const leaves = new Map<string, RegExp>()
  const codes = new Set(usual)
  const addLeaf = ({ raw }: Leaf) => leaves.set(raw, new RegExp(`^(?:${raw})$`, flags))
  const visit = (node: unknown, isInClass: boolean): void => {
    if (typeof node !== 'object' || node === null) return
    const { type = '', value } = node as { type?: string; value: number }
    if (type === 'Character') for (const code of [value - 1, value, value + 1]) codes.add(code)
    const isLeaf = /^(Character|CharacterSet|CharacterClass|ExpressionCharacterClass)$/.test(type)
    if (isLeaf && !isInClass) addLeaf(node as Leaf)
    for (const key of ['elements', 'element', 'alternatives', 'expression', 'left', 'right', 'min', 'max'])
      for (const child of [(node as Record<string, unknown>)[key]].flat()) visit(child, isInClass || isLeaf)
  }
  visit(pattern, false)
  const word = new RegExp(String.raw`^\w$`, flags)
  const classes = Map.groupBy(
    [...codes]
      .filter((code) => code >= 0 && code <= (isUnicode ? 0x10ffff : 0xffff))
      .map((code) => String.fromCodePoint(code)),
    (char) => [word, /^[\n\r\u2028]$/, ...leaves.values()].map((test) => Number(test.test(char))).join(''),
  )
  const samples = [...classes.values()].map((chars) => chars.find((char) => /^[!-~]$/.test(char)) ?? chars[0]!)
  const known = new Map<string, Set<Letter>>()
  const lettersOf = ({ raw }: Leaf) => {
    const found =
      known.get(raw) ?? new Set([...samples.keys()].filter((letter) => leaves.get(raw)!.test(samples[letter]!)))
    known.set(raw, found)
    return found
  }
  const isWord = (letter: Letter) => letter !== nothing && word.test(samples[letter]!)
  const isLineEnd = (letter: Letter) => letter !== nothing && /^[\n\r\u2028]$/.test(samples[letter]!)
  return { samples, lettersOf, isWord, isLineEnd }
}
