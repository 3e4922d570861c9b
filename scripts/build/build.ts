// Builds the folder that all packages of Parley contain: bundled server, web client, migrations, pages, notices.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pageNames } from '../../packages/server/src/http/help/help-pages.ts'
import { bundleServer, installed } from './bundle.ts'
import { bomOf, noticesOf } from './describe-packages.ts'
import { shrinkwrapOf } from './shrinkwrap.ts'

const repository = join(import.meta.dirname, '../..')
const server = join(repository, 'packages/server')
const modules = join(repository, 'node_modules')

const { values } = parseArgs({ options: { out: { type: 'string', default: join(repository, 'dist') } } })
const target = resolve(values.out)
const fresh = `${target}.${process.pid}`
try {
  await buildInto(fresh)
  rmSync(target, { recursive: true, force: true })
  renameSync(fresh, target)
  console.log(`Built ${target}. Start it with: node ${join(values.out, 'bin/parley.cjs')} serve --demo`)
} finally {
  rmSync(fresh, { recursive: true, force: true })
}

async function buildInto(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { packages } = await bundleServer(join(folder, 'server'))
  moveSourceMaps(folder)
  cpSync(buildWebClient(), join(folder, 'web'), { recursive: true })
  for (const name of ['bin', 'migrations', 'public'])
    cpSync(join(server, name), join(folder, name), { recursive: true })
  copyIntegrations(join(folder, 'integrations'))
  copyHelp(join(folder, 'docs'))
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(join(repository, name), join(folder, name))
  const folders = [...packages, ...besides()]
  const webNotices = readFileSync(join(folder, 'web/licences.txt'), 'utf8')
  const description = describeRelease()
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf(folders, webNotices))
  writeJson(join(folder, 'sbom.cdx.json'), bomOf(description.version, folders, webNotices))
  writeJson(join(folder, 'package.json'), description)
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'))
  writeJson(join(folder, 'npm-shrinkwrap.json'), shrinkwrapOf(description, lock))
}

/** What integrations have besides code: icons, steps and examples. */
function copyIntegrations(target: string): void {
  const source = join(repository, 'packages/integrations')
  for (const path of globSync(['*/icon.svg', '*/setup.md', '*/fixtures/*.json'], { cwd: source }))
    cpSync(join(source, path), join(target, path))
}

/** What the server shows at /help. */
function copyHelp(target: string): void {
  const source = join(repository, 'docs')
  for (const name of pageNames) cpSync(join(source, `${name}.md`), join(target, `${name}.md`))
  cpSync(join(source, 'images'), join(target, 'images'), { recursive: true })
}

/** They resolve stack traces of bug reports. A release attaches them, but nobody needs to install them. */
function moveSourceMaps(folder: string): void {
  const maps = `${target}-source-maps`
  rmSync(maps, { recursive: true, force: true })
  mkdirSync(maps, { recursive: true })
  for (const name of globSync('server/*.map', { cwd: folder }))
    renameSync(join(folder, name), join(maps, name.slice(7)))
}

/** The same client that a start from the sources builds, in its folder there. */
function buildWebClient(): string {
  return execFileSync(process.execPath, [join(repository, 'packages/web/build.ts')], { encoding: 'utf8' }).trim()
}

/** What is installed beside the bundle, with what it brings, as far as it is here. */
function besides(): string[] {
  const names = [...installed, '@img/*', '@node-rs/argon2-*', 'node-linux-*', 'detect-libc', 'semver']
  return names.flatMap((name) =>
    globSync(`${name}/package.json`, { cwd: modules })
      .sort()
      .map((path) => join(modules, dirname(path))),
  )
}

/** The package.json of the npm package. */
function describeRelease() {
  const { version, license, dependencies } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'))
  const { description, optionalDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const versionsOf = (names: string[], from: Record<string, string>) =>
    Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]!]))
  return {
    name: '@parley-chat/server',
    version: version as string,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { parley: 'bin/parley.cjs' },
    files: [
      'bin',
      'server',
      'web',
      'integrations',
      'docs',
      'public',
      'migrations',
      'THIRD-PARTY-NOTICES.txt',
      'CHANGELOG.md',
      'sbom.cdx.json',
      'npm-shrinkwrap.json',
    ],
    dependencies: versionsOf(installed, dependencies),
    optionalDependencies: versionsOf(installed, optionalDependencies),
  }
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
