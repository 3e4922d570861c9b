import { createHash } from 'node:crypto'
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

const root = import.meta.dirname
const sources = [
  'packages/web/{index.html,*.ts,package.json}',
  'packages/{web,client,api,markdown}/src/**/*',
  'package-lock.json',
]

/** A hash of everything the result depends on. */
export async function sourceHash(): Promise<string> {
  const cwd = join(root, '../..')
  const names = (await Array.fromAsync(glob(sources, { cwd }))).filter((name) => /\.\w+$/.test(name)).sort()
  const hash = createHash('sha256')
  for (const name of names) hash.update(name).update(await readFile(join(cwd, name)))
  return hash.digest('hex')
}

/** Builds into `out`, unless what is there is up to date. The new files appear all at once. */
async function buildWeb(out: string): Promise<void> {
  const hash = await sourceHash()
  const known = await readFile(join(out, 'source-hash'), 'utf8').catch(() => '')
  if (known === hash) return
  const fresh = `${out}.${process.pid}`
  await mkdir(fresh, { recursive: true })
  await build({
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: fresh, emptyOutDir: true },
  })
  await compressAll(fresh)
  await writeFile(join(fresh, 'source-hash'), hash)
  await rm(out, { recursive: true, force: true })
  await rename(fresh, out)
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Compresses once here instead of for every visitor. */
async function compressAll(folder: string): Promise<void> {
  for await (const name of glob('**/*.{js,css,html,svg}', { cwd: folder })) {
    const path = join(folder, name)
    const content = await readFile(path)
    await writeFile(`${path}.br`, await brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
    await writeFile(`${path}.gz`, await zip(content, { level: 9 }))
  }
}

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } })
await buildWeb(resolve(values.out))
