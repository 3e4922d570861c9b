import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { hasStoredBackup, problemOfChangelog } from './check-releasable.ts'
import { copyUnitOf, unitOf } from './debian.ts'

const unit = readFileSync(join(import.meta.dirname, '../../deploy/parley.service'), 'utf8')

test('a release needs a section of its version in the changelog, with a change', () => {
  const section = '# Changelog\n\n## 1.2.0 (2026-01-01)\n\n- Better.\n'
  assert.equal(problemOfChangelog(section, '1.2.0'), undefined)
  assert.match(problemOfChangelog(section, '1.3.0')!, /does not begin with a section "## 1.3.0/)
  assert.match(problemOfChangelog('# Changelog\n\n## 1.2.0 (2026-01-01)\n\n## 1.1.0\n\n- A.', '1.2.0')!, /no change/)
})

test('a release needs a stored backup of its own data, with which later versions are tested', () => {
  assert.ok(hasStoredBackup('0.4.0'))
  assert.ok(!hasStoredBackup('0.0.1'))
})

test('the unit of the Debian package differs from that of a checkout only in its places', () => {
  const packaged = unitOf(unit)
  assert.match(packaged, /^ExecStart=\/usr\/bin\/parley serve$/m)
  assert.doesNotMatch(packaged, /\/opt\/parley|EnvironmentFile|npm/)
  const restrictions = (text: string) => text.slice(text.indexOf('# The service writes its data'))
  assert.equal(restrictions(packaged), restrictions(unit))
})

test('the nightly copy has the restrictions of the service that follows, and deletes old copies', () => {
  const follow = readFileSync(join(import.meta.dirname, 'debian/parley-backup.service'), 'utf8')
  const copy = copyUnitOf(follow)
  assert.match(copy, /^Type=oneshot$/m)
  assert.match(copy, /^ExecStart=\/usr\/bin\/parley backup \$\{BACKUP_DIR\} --keep \$BACKUP_KEEP$/m)
  assert.doesNotMatch(copy, /Restart=|\[Install\]/)
  const restrictions = (text: string) => /UMask[\s\S]*?RestrictAddressFamilies.*/.exec(text)![0]
  assert.equal(restrictions(copy), restrictions(follow))
})

test('a unit without one of the places is not packaged', () => {
  assert.throws(() => unitOf(unit.replace('ExecStart=', 'Exec=')), /has no line/)
})
