// Counts the rooms of the server that import each other, and the files of each folder.
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

const { wings } = createRequire(import.meta.url)('./wings.cjs') as { wings: Record<string, string[]> }

/** Routes may know every feature, so that their rooms meet; more pairs than this mean that they know too much. */
const mutualRooms = 40
/** A reader finds a file in a folder of this many, tests included. Migrations only grow. */
const filesPerFolder = 30

/** The room of a file below packages/server/src, or undefined for the files beside the wings. */
export function roomOf(path: string): string | undefined {
  const [wing, room] = path.split('/')
  if (wing === path) return undefined
  const hasRooms = (wings[wing!]?.length ?? 0) > 0 || wing === 'http'
  return hasRooms && !room!.includes('.') ? `${wing}/${room}` : wing
}

/** Pairs of rooms that import each other, as `a b`; `imports` has pairs of files. */
export function findMutualRooms(imports: [string, string][]): string[] {
  const known = new Set<string>()
  for (const [from, to] of imports) {
    const rooms = [roomOf(from), roomOf(to)]
    if (!rooms.includes(undefined)) known.add(rooms.join(' '))
  }
  return [...known].filter((pair) => {
    const [a, b] = pair.split(' ')
    return a! < b! && known.has(`${b} ${a}`)
  })
}

export function findCrowdedFolders(paths: string[]): string[] {
  const byFolder = Map.groupBy(paths, (path) => dirname(path))
  const crowded = [...byFolder].filter(
    ([folder, files]) => files.length > filesPerFolder && !/\/(migrations|fixtures)$/.test(folder),
  )
  return crowded.map(
    ([folder, files]) => `${folder} has ${files.length} files: give it subfolders, at most ${filesPerFolder} each.`,
  )
}

function importsOf(root: string, path: string): [string, string][] {
  const text = readFileSync(join(root, path), 'utf8')
  const found = text.matchAll(/(?:from |import\(|import )'(\.[^']+\.ts)'/g)
  return [...found].map(([, specifier]) => [path, relative(root, resolve(root, dirname(path), specifier!))])
}

function main(): void {
  const top = join(import.meta.dirname, '..')
  const root = join(top, 'packages/server/src')
  const files = globSync('**/*.ts', { cwd: root }).filter((path) => !/\.test\.ts$|(^|\/)testing\//.test(path))
  const imports = files.flatMap((path) => importsOf(root, path)).filter(([, to]) => !/^\.\.|(^|\/)testing\//.test(to))
  const withoutRoutes = findMutualRooms(imports.filter(([from]) => !/routes\.ts$/.test(from)))
  const mutual = findMutualRooms(imports)
  console.log(`${mutual.length} pairs of rooms import each other, ${withoutRoutes.length} without route files.`)
  const crowded = findCrowdedFolders(
    globSync('{packages,bench,scripts}/**/*.*', { cwd: top, exclude: ['**/node_modules', '**/dist'] }),
  )
  const problems = [
    ...withoutRoutes.map((pair) => `These rooms import each other: ${pair}`),
    ...(mutual.length > mutualRooms ? [`At most ${mutualRooms} pairs may: ${mutual.join(', ')}`] : []),
    ...crowded,
  ]
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

if (import.meta.main) main()
