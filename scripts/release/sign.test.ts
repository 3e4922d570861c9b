import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkSigning, sign } from './sign.ts'

const skip = spawnSync('minisign', ['-v']).error ? 'needs minisign' : false

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sign-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('checksums are signed, and a changed file is found by minisign', { skip }, (t) => {
  const folder = newFolder(t)
  const [key, publicKey, sums] = ['key', 'key.pub', 'SHA256SUMS'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  execFileSync('minisign', ['-G', '-W', '-s', key, '-p', publicKey], { stdio: 'ignore' })
  writeFileSync(sums, '0123  parley.tgz\n')
  checkSigning(key)

  sign(key, sums, '1.2.3')

  const verify = () => spawnSync('minisign', ['-V', '-p', publicKey, '-m', sums], { encoding: 'utf8' })
  assert.equal(verify().status, 0)
  assert.match(verify().stdout, /Trusted comment: Parley 1\.2\.3/)
  writeFileSync(sums, '4567  parley.tgz\n')
  assert.notEqual(verify().status, 0)
})

test('a key that does not exist is refused before anything is built', (t) => {
  assert.throws(() => checkSigning(join(newFolder(t), 'key')), /There is no key .*minisign -G/)
})
