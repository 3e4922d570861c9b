import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const unit = readFileSync(new URL('../../../../deploy/parley.service', import.meta.url), 'utf8')
const directives = new Map(
  unit
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
)

test('the service cannot write the code that it runs at the next start', () => {
  assert.equal(directives.get('ProtectSystem'), 'strict')
  assert.equal(directives.get('ReadWritePaths'), undefined)
  assert.doesNotMatch(directives.get('WorkingDirectory')!, /^\/var\/lib/)
})

test('the service has no capability but to listen on ports for TLS, no other namespaces, and only its own user reads its data', () => {
  for (const [name, value] of [
    ['CapabilityBoundingSet', 'CAP_NET_BIND_SERVICE'],
    ['AmbientCapabilities', 'CAP_NET_BIND_SERVICE'],
    ['RestrictNamespaces', 'yes'],
    ['LockPersonality', 'yes'],
    ['ProtectKernelModules', 'yes'],
    ['ProtectProc', 'invisible'],
    ['SystemCallFilter', '@system-service @pkey'],
    ['StateDirectoryMode', '0700'],
    ['UMask', '0077'],
  ] as const)
    assert.equal(directives.get(name), value, name)
})
