import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options?: { type: 'minor' }) => void

/**
 * How many bytes of items that came and went are kept by collections of young objects alone. Full collections would free
 * them, but each of the others takes longer.
 */
export function keptBytes<Item>(items: { create: (n: number) => Item; remove: (item: Item) => void }): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  collect()
  const before = oldBytes()
  const present: Item[] = []
  for (let n = 0; n < 5000; n++) {
    present.push(items.create(n))
    if (present.length > 16) items.remove(present.shift()!)
    if (n % 50 === 0) collect({ type: 'minor' })
  }
  return oldBytes() - before
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size
}
