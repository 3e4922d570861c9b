import { wire } from '@parley/client/wire/wire.generated'
import { loadAllTexts } from '../platform/languages.ts'
import { shapes } from '../ui/icons.generated.ts'

type Table = Record<string, () => Promise<object>>
const icons: Table = import.meta.glob('../ui/icons.generated.ts', { query: '?more', import: 'shapes' })
const operations: Table = import.meta.glob('../../../client/src/wire/wire.generated.ts', {
  query: '?more',
  import: 'wire',
})

/** Loads a part, and the texts, icons and operations that the build left out of the first screen (`loaded-later.ts`). */
export async function loadLater<Part>(load: () => Promise<Part>): Promise<Part> {
  const [part] = await Promise.all([load(), loadAllTexts(), extend(shapes, icons), extend(wire, operations)])
  return part
}

async function extend(known: object, more: Table): Promise<void> {
  for (const load of Object.values(more)) Object.assign(known, await load())
}
