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
import { fixedArchive } from './fixed-archive.ts'
import { hasImageTools, packImages } from './image.ts'
import { run } from './run-program.ts'
import { checkSigning, sign } from './sign.ts'
import { type Arch, archs, makeTree } from './tree.ts'

const repository = join(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    arch: { type: 'string', multiple: true, default: Object.keys(archs) },
    // A secret key of minisign.
    sign: { type: 'string', default: process.env.MINISIGN_KEY ?? '' },
    out: { type: 'string', default: join(repository, 'release') },
  },
})

const version: string = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version
if (!values['dry-run']) checkReleasable(repository, version)
if (values.sign) checkSigning(values.sign)
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
  if (values.sign) sign(values.sign, join(folder, 'SHA256SUMS'), version)
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

function pack(name: string, parent: string, content: string): void {
  run('tar', [
    ...fixedArchive(time),
    '--use-compress-program=gzip -n6',
    '-cf',
    join(folder, name),
    '-C',
    parent,
    content,
  ])
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
  const signing = values.sign ? [] : [`minisign -S -s KEY -m ${folder}/SHA256SUMS`]
  return [
    ...signing,
    `npm publish --access public ${folder}/parley-chat-server-${version}.tgz`,
    `git tag v${version}, then attach the files of ${folder} to the release`,
  ]
    .map((line) => `  ${line}\n`)
    .join('')
}

function say(what: string): void {
  console.log(`--- ${what}`)
}
