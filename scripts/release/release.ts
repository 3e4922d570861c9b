// Builds everything that a release consists of, in release/VERSION: npm package, tarballs, Debian packages, container images,
// checksums.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkReleasable } from './check-releasable.ts'
import { packDebian } from './debian.ts'
import { hasImageTools, packImages } from './image.ts'
import { run } from './run-program.ts'
import { type Arch, archs, makeTree } from './tree.ts'

const repository = join(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    arch: { type: 'string', multiple: true, default: Object.keys(archs) },
    out: { type: 'string', default: join(repository, 'release') },
  },
})

const version: string = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version
if (!values['dry-run']) checkReleasable(repository, version)
const time = Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: repository, encoding: 'utf8' }))
const folder = join(values.out, version)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'parley-release-'))
try {
  await buildAll()
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function buildAll(): Promise<void> {
  say('the folder of all packages')
  run(process.execPath, [join(repository, 'scripts/build/build.ts')])
  say('the npm package')
  run('npm', ['pack', '--silent', '--pack-destination', folder, join(repository, 'dist')])
  for (const arch of values.arch as Arch[]) await buildFor(arch)
  pack(`parley-${version}-source-maps.tar.gz`, repository, 'dist-source-maps')
  writeFileSync(join(folder, 'SHA256SUMS'), checksums())
  console.log(`Built ${folder}. To publish it:\n${publishing()}`)
}

async function buildFor(arch: Arch): Promise<void> {
  const name = `parley-${version}-linux-${arch}`
  say(`Linux on ${arch}`)
  const tree = join(work, name)
  await makeTree(repository, arch, tree)
  pack(`${name}.tar.gz`, work, name)
  packDebian({ repository, tree, version, arch: archs[arch], time, folder })
  if (hasImageTools()) packImages({ tree, version, arch: archs[arch], time, folder })
  else say('NO CONTAINER IMAGE: install buildah and mmdebstrap')
  rmSync(tree, { recursive: true })
}

/** The same files give the same archive: sorted, owned by root, and as old as the commit. */
function pack(name: string, parent: string, content: string): void {
  const fixed = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${time}`]
  run('tar', [...fixed, '--use-compress-program=gzip -n6', '-cf', join(folder, name), '-C', parent, content])
}

function checksums(): string {
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  const names = readdirSync(folder).sort()
  return names.map((name) => `${hashOf(name)}  ${name}\n`).join('')
}

function publishing(): string {
  return [
    `minisign -S -s KEY -m ${folder}/SHA256SUMS`,
    `npm publish --access public ${folder}/parley-chat-server-${version}.tgz`,
    `git tag v${version}, then attach the files of ${folder} to the release`,
  ]
    .map((line) => `  ${line}\n`)
    .join('')
}

function say(what: string): void {
  console.log(`--- ${what}`)
}
