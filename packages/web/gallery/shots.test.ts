import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areas } from './areas.ts'
import { looks } from './looks.ts'
import { chooseShots, pathOf, repeatedNames, sittingsOf } from './shots.ts'
import type { Area } from './state.ts'

const some: Area[] = [
  {
    name: 'list',
    states: [
      { name: 'code', at: '#inbox', shows: 'main', looks: ['light', 'german', 'dark'] },
      { name: 'table', at: '#inbox', shows: 'main' },
    ],
  },
  { name: 'menus', states: [{ name: 'palette', at: '#inbox', shows: 'main' }] },
]
const chosen = (...words: string[]) => chooseShots(some, words).map(pathOf)

test('words choose areas, states and looks', () => {
  assert.deepEqual(chosen('palette', 'table'), ['list/table.light.png', 'menus/palette.light.png'])
  assert.deepEqual(chosen('list', 'dark'), ['list/code.dark.png'])
})

test('without words everything is taken, and what is German comes last', () => {
  const paths = chosen()
  assert.equal(paths.length, 5)
  assert.equal(paths.at(-1), 'list/code.german.png')
})

test('pictures that differ only in colours are taken on one page', () => {
  const sittings = sittingsOf(chooseShots(some, ['list']))
  assert.deepEqual(
    sittings.map((shots) => shots.map(({ look }) => look)),
    [['light', 'dark'], ['light'], ['german']],
  )
})

test('a word that names nothing is refused', () => {
  assert.throws(() => chosen('lists'), /no area, state or look named lists\. Areas and looks: list, menus, light/)
})

test('every state has a name of its own', () => {
  assert.deepEqual(repeatedNames(areas), [])
  assert.deepEqual(repeatedNames([...some, { name: 'list', states: [] }]), ['list'])
})

test('twenty states are shown in every look', () => {
  const states = areas.flatMap((area) => area.states)
  assert.equal(states.filter((state) => state.looks?.length === looks.length).length, 20)
})
