import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { firstModules } from '../../first-modules.ts'
import { readEnglish, splitIds } from '../../texts.ts'

const root = join(import.meta.dirname, '..')
const modules = [...firstModules(join(root, 'main.tsx')).keys()].map((path) => path.slice(root.length + 1))

test('the texts of the first screen are those that its sources name, and no text is in both parts', () => {
  const { first, more } = splitIds()
  assert.deepEqual([...first, ...more].toSorted(), Object.keys(readEnglish()).toSorted())
  assert.ok(first.includes('nav.inbox') && first.includes('error.unreachable'))
  assert.ok(more.includes('keys.search') && more.includes('audit.title'))
})

test('what lazyPart, earlyPart and loadLater load is not part of the first screen', () => {
  assert.ok(modules.includes('sidebar/sidebar.tsx'))
  for (const later of ['organization/screen.tsx', 'compose/scheduled/scheduled-screen.tsx', 'notify/notifier.ts'])
    assert.ok(!modules.includes(later), later)
})

test('what is loaded later in another way finds its texts among those of the first screen', () => {
  const { first } = splitIds()
  assert.ok(modules.includes('rendered/copy-code.ts'))
  for (const name of modules) {
    const ids = [...readFileSync(join(root, name), 'utf8').matchAll(/'(rendered\.\w+)'/g)].map(([, id]) => id!)
    for (const id of ids) assert.ok(first.includes(id), `${name}: ${id}`)
  }
})
