import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Installed {
  dev?: boolean
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export const repository = join(import.meta.dirname, '../..')

/** What npm has installed here, by its place. */
export function readInstalled(): Record<string, Installed> {
  return JSON.parse(readFileSync(join(repository, 'node_modules/.package-lock.json'), 'utf8')).packages
}

/** The places of the packages that a server needs: those of `npm ci --omit=dev`. */
export function productionPlaces(installed = readInstalled()): string[] {
  const found = Object.entries(installed).filter(
    ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
  )
  return found.map(([path]) => path)
}

/** The same for a package that depends on the names. */
export function placesBelow(names: string[], installed = readInstalled()): Set<string> {
  const places = new Set<string>()
  const visit = (name: string) => {
    const place = `node_modules/${name}`
    const entry = installed[place]
    if (!entry || places.has(place)) return
    places.add(place)
    for (const next of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) visit(next)
  }
  for (const name of names) visit(name)
  return places
}

/** Bytes of the files in a folder, without packages inside. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => sum + (lstatSync(path).isDirectory() ? sizeOf(path) : lstatSync(path).size), 0)
}
