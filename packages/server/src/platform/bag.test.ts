import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptBytes } from '../testing/load/kept-bytes.ts'
import { Bag } from './bag.ts'

test('a bag contains what was added and not removed', () => {
  const bag = new Bag<{ name: string; place: number }>()
  const [ann, ben, cem] = ['ann', 'ben', 'cem'].map((name) => ({ name, place: 0 }))
  for (const item of [ann!, ben!, cem!]) bag.add(item)

  bag.remove(ann!)
  bag.remove(cem!)

  assert.deepEqual(
    [...bag].map(({ name }) => name),
    ['ben'],
  )
})

test('items that came and went are collected as young objects', () => {
  const bag = new Bag<{ place: number }>()
  const create = () => {
    const item = { place: 0, content: Array<number>(100).fill(0.5) }
    bag.add(item)
    return item
  }

  const kept = keptBytes({ create, remove: (item) => bag.remove(item) })

  assert.ok(kept < 500_000, `${kept} bytes were kept`)
})
