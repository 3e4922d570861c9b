import { type Look, looks } from './looks.ts'
import type { Area, State } from './state.ts'

/** One picture to take. */
export interface Shot {
  area: string
  state: State
  look: Look
}

/**
 * The pictures that the words of the command choose: of the areas and states that they name, in the looks that they name.
 * German ones come last, because the language belongs to the account.
 */
export function chooseShots(areas: Area[], words: string[]): Shot[] {
  const all = areas.flatMap(({ name, states }) =>
    states.flatMap((state) => (state.looks ?? ['light']).map((look) => ({ area: name, state, look }))),
  )
  const isLook = (word: string) => looks.some((look) => look === word)
  const names = words.filter((word) => !isLook(word))
  const wanted = words.filter(isLook)
  const known = new Set(all.flatMap(({ area, state }) => [area, state.name]))
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length > 0) throw new UnknownName(unknown, areas)
  return all
    .filter(({ area, state }) => names.length === 0 || names.includes(area) || names.includes(state.name))
    .filter(({ look }) => wanted.length === 0 || wanted.includes(look))
    .sort((a, b) => Number(a.look === 'german') - Number(b.look === 'german'))
}

export class UnknownName extends Error {
  constructor(names: string[], areas: Area[]) {
    const known = [...areas.map(({ name }) => name), ...looks].join(', ')
    super(`The gallery has no area, state or look named ${names.join(', ')}. Areas and looks: ${known}.`)
  }
}

/** Looks that only differ in colours. */
const colours = new Set<Look>(['light', 'dark', 'contrast'])

/** The pictures of a state that are taken on the same page, one after the other. */
export function sittingsOf(shots: Shot[]): Shot[][] {
  const rowOf = ({ state, look }: Shot) => `${state.name} ${colours.has(look) ? 'colours' : look}`
  return [...Map.groupBy(shots, rowOf).values()]
}

/** Inside the output folder. */
export function pathOf({ area, state, look }: Shot): string {
  return `${area}/${state.name}.${look}.png`
}

/** Names that two states share, so that one picture would replace the other. */
export function repeatedNames(areas: Area[]): string[] {
  const names = areas.flatMap(({ name, states }) => [name, ...states.map((state) => state.name)])
  return names.filter((name, index) => names.indexOf(name) !== index)
}
