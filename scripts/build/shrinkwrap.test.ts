import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shrinkwrapOf } from './shrinkwrap.ts'

const lock = {
  packages: {
    '': { dependencies: { bundled: '1.0.0', native: '2.0.0' } },
    'node_modules/bundled': {},
    'node_modules/native': { dependencies: { helper: '^1.0.0' }, optionalDependencies: { 'native-arm64': '2.0.0' } },
    'node_modules/helper': { dependencies: { native: '2.0.0' } },
    'node_modules/native-arm64': {},
  },
}

test('the lock file of the npm package has what it installs, with what that needs, and nothing else', () => {
  const described = { name: 'x', version: '1.0.0', dependencies: { native: '2.0.0' } }
  const { packages } = shrinkwrapOf(described, lock) as { packages: object }
  assert.deepEqual(Object.keys(packages), [
    '',
    'node_modules/helper',
    'node_modules/native',
    'node_modules/native-arm64',
  ])
})
