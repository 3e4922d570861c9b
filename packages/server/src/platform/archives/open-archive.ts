import { open, stat } from 'node:fs/promises'
import { openFolder } from './folder-archive.ts'
import { type Archive, BadArchive } from './foreign-archive.ts'
import { openTarGz } from './tar-archive.ts'
import { openZip } from './zip-archive.ts'

export interface OpenOptions {
  /** The file without which it is not what it claims to be. */
  main: string
  /** For temporary files. */
  folder: string
}

/** Opens a zip file, a .tar.gz or a folder, by its content and not by its name. */
export async function openArchive(path: string, { main, folder }: OpenOptions): Promise<Archive> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new BadArchive(`${path} does not exist, or cannot be read.`)
  const archive = await (found.isDirectory() ? openFolder(path, main) : openPacked(path, folder))
  if (await archive.find(main)) return archive
  const top = await topFolder(archive, main)
  if (top !== undefined) return within(archive, top)
  await archive.close()
  throw new BadArchive(`${path} is not what it should be: it has no ${main}.`)
}

/** The only folder at the top, if the main file is in it: many programs pack a folder rather than its files. */
async function topFolder(archive: Archive, main: string): Promise<string | undefined> {
  const tops = (await archive.names()).filter((name) => name.endsWith(`/${main}`) && name.split('/').length === 2)
  return tops.length === 1 ? tops[0]!.slice(0, -main.length) : undefined
}

function within(archive: Archive, folder: string): Archive {
  return {
    ...archive,
    find: (name) => archive.find(folder + name),
    names: async () =>
      (await archive.names()).filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length)),
  }
}

async function openPacked(path: string, folder: string): Promise<Archive> {
  const handle = await open(path, 'r')
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0).finally(() => handle.close())
  if (buffer.toString('latin1', 0, 2) === 'PK') return openZip(path)
  if (buffer[0] === 0x1f && buffer[1] === 0x8b) return openTarGz(path, folder)
  throw new BadArchive(`${path} is neither a zip file, nor a .tar.gz, nor a folder.`)
}
