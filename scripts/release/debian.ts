// The Debian package: versioned folders in /usr/lib/parley, a service, a user, and the settings in /etc/parley.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from './run-program.ts'

const parts = join(import.meta.dirname, 'debian')

/** Where the parts go, and who may execute them. The program itself is a folder below. */
const files: [part: string, place: string, mode: number][] = [
  ['control', 'DEBIAN/control', 0o644],
  ['conffiles', 'DEBIAN/conffiles', 0o644],
  ['preinst', 'DEBIAN/preinst', 0o755],
  ['postinst', 'DEBIAN/postinst', 0o755],
  ['prerm', 'DEBIAN/prerm', 0o755],
  ['postrm', 'DEBIAN/postrm', 0o755],
  ['parley', 'usr/bin/parley', 0o755],
  ['parley.env', 'etc/parley/parley.env', 0o640],
  ['defaults.env', 'usr/lib/parley/defaults.env', 0o644],
  ['sysusers.conf', 'usr/lib/sysusers.d/parley.conf', 0o644],
  ['parley-backup.service', 'usr/lib/systemd/system/parley-backup.service', 0o644],
  ['parley-backup-copy.timer', 'usr/lib/systemd/system/parley-backup-copy.timer', 0o644],
]

interface DebianParts {
  repository: string
  /** The folder of the tarball. */
  tree: string
  version: string
  arch: string
  /** Seconds; the age of all files. */
  time: number
  /** Where the package goes. */
  folder: string
}

export function packDebian({ repository, tree, version, arch, time, folder }: DebianParts): void {
  const root = `${tree}.deb`
  const fill = (text: string) => text.replaceAll('@VERSION@', version).replaceAll('@ARCH@', arch)
  for (const [part, place, mode] of files) put(join(root, place), fill(readFileSync(join(parts, part), 'utf8')), mode)
  const unit = unitOf(readFileSync(join(repository, 'deploy/parley.service'), 'utf8'))
  put(join(root, 'usr/lib/systemd/system/parley.service'), unit, 0o644)
  const copy = copyUnitOf(readFileSync(join(parts, 'parley-backup.service'), 'utf8'))
  put(join(root, 'usr/lib/systemd/system/parley-backup-copy.service'), copy, 0o644)
  put(join(root, 'usr/share/doc/parley/copyright'), readFileSync(join(tree, 'THIRD-PARTY-NOTICES.txt'), 'utf8'), 0o644)
  cpSync(tree, join(root, 'usr/lib/parley/package'), { recursive: true, verbatimSymlinks: true })
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(time) }
  run('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', root, folder], env)
  rmSync(root, { recursive: true })
}

function put(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** The unit for checkouts, with the places of the package. The command reads the settings, as it does for the operator. */
export function unitOf(unit: string): string {
  return changed(unit, [
    [/^# A systemd unit.*\n/, '# Settings: /etc/parley/parley.env. Changes of this unit: systemctl edit parley\n'],
    [/^WorkingDirectory=.*$/m, 'WorkingDirectory=/var/lib/parley'],
    [/^Environment=.*\n#.*\nEnvironmentFile=.*\n/m, ''],
    [/^ExecStart=.*$/m, 'ExecStart=/usr/bin/parley serve'],
  ])
}

/** The unit that follows the database, for one copy that a timer starts. */
export function copyUnitOf(unit: string): string {
  return changed(unit, [
    [
      /^# Copies.*\n/,
      '# Makes a new copy of everything in BACKUP_DIR and deletes old ones. Off until: systemctl enable --now parley-backup-copy.timer\n',
    ],
    [/^Type=exec$/m, 'Type=oneshot'],
    [/^(EnvironmentFile=.*)$/m, 'Environment=BACKUP_KEEP=7\n$1'],
    [/ --follow$/m, ' --keep $BACKUP_KEEP'],
    [/^Restart=.*\nRestartSec=.*\n/m, ''],
    [/\n\[Install\][\s\S]*$/, ''],
  ])
}

function changed(unit: string, changes: [RegExp, string][]): string {
  return changes.reduce((text, [from, to]) => {
    if (!from.test(text)) throw new Error(`The unit has no line ${from}.`)
    return text.replace(from, to)
  }, unit)
}
