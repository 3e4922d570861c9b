// The lock file of the npm package: the part of ours that it installs, in the same versions.

/** As much of an entry of package-lock.json as is read here. */
interface Entry {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

type Lock = { packages: Record<string, Entry> }

interface Described extends Entry {
  name: string
  version: string
}

/** `npx` and `npm install` ignore a package-lock.json inside a package, but not an npm-shrinkwrap.json. */
export function shrinkwrapOf({ name, version, dependencies, optionalDependencies }: Described, lock: Lock): object {
  const own = { name, version, dependencies, optionalDependencies }
  const packages = Object.fromEntries([...reachedFrom(own, lock)].sort().map((path) => [path, lock.packages[path]]))
  return { name, version, lockfileVersion: 3, requires: true, packages: { '': own, ...packages } }
}

function reachedFrom(own: Entry, lock: Lock): Set<string> {
  const reached = new Set<string>()
  const follow = (entry: Entry) => {
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) visit(name)
  }
  const visit = (name: string) => {
    const path = `node_modules/${name}`
    const entry = lock.packages[path]
    if (!entry || reached.has(path)) return
    reached.add(path)
    follow(entry)
  }
  follow(own)
  return reached
}
