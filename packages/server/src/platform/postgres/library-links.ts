import { readFile, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'

interface Link {
  source: string
  target: string
}

/** npm packages cannot contain links; the package lists them for its install script, which may not have run. */
export async function linkLibraries(native: string): Promise<void> {
  const list = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as Link[]
  await Promise.all(list.map((link) => makeLink(native, link)))
}

/** A link that exists or cannot be created is not an error yet: the programs may run anyway. */
async function makeLink(native: string, { source, target }: Link): Promise<void> {
  await symlink(basename(source), join(native, '..', target)).catch(() => {})
}
