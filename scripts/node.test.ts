import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const launcher = join(import.meta.dirname, 'node')

/** Runs the launcher on a machine whose `node` is this shell script. */
function launch(t: TestContext, script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-node-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'node'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'node'), 0o755)
  copyFileSync(launcher, join(folder, 'launcher')) // where no Node is pinned
  return start(join(folder, 'launcher'), folder, ['serve'])
}

function start(program: string, path: string, args: string[]) {
  return spawnSync(program, args, { env: { PATH: `${path}:/usr/bin:/bin` }, encoding: 'utf8' })
}

test('outside npm, the pinned Node runs, whatever is in PATH', () => {
  const { stdout } = start(launcher, '/nowhere', ['--version'])

  assert.equal(stdout, `${process.version}\n`)
})

test('the launcher passes its arguments to a suitable Node', (t) => {
  const { stdout, status } = launch(t, 'case $1 in --version) echo v24.21.0 ;; *) echo "runs $*" ;; esac')

  assert.equal(stdout, 'runs serve\n')
  assert.equal(status, 0)
})

test('a Node that lacks a library is reported in one sentence', (t) => {
  const { stderr, status } = launch(t, 'echo "libatomic.so.1: cannot open shared object file" >&2; exit 127')

  assert.match(stderr, /^Parley cannot start: \S+\/node does not run on this machine \(libatomic\.so\.1: .*\)\.\n$/)
  assert.equal(status, 1)
})

test('a Node that is too old is reported in one sentence', (t) => {
  const { stderr, status } = launch(t, 'echo v20.20.2')

  assert.match(stderr, /^Parley cannot start: it needs Node 24 or newer and found only v20\.20\.2; .*\n$/)
  assert.equal(status, 1)
})
