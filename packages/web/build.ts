import { createHash } from 'node:crypto'
import { access, glob, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = import.meta.dirname
const sources = [
  'packages/web/{index.html,*.ts,package.json,sw/*,notices/*}',
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

/**
 * Builds into a folder below `out` that is named by the hash, unless an earlier build is there. It appears all at once, so that several
 * servers on one checkout can build at the same time.
 */
async function buildWeb(out: string): Promise<string> {
  const hash = await sourceHash()
  const target = join(out, hash)
  if (await exists(target)) return target
  const fresh = join(out, `${hash}.${process.pid}`)
  const { build } = await loadBuilder()
  await createFolder(fresh)
  await build({
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: fresh, emptyOutDir: true },
  })
  await listShell(fresh)
  await compressAll(fresh)
  await rename(fresh, target).catch(async (error: Error) => {
    await rm(fresh, { recursive: true, force: true })
    if (!(await exists(target))) throw error
  })
  await removeOthers(out, hash)
  return target
}

/** Vite and what the client consists of are development dependencies. */
async function loadBuilder(): Promise<typeof import('vite')> {
  return import('vite').catch((cause: Error) => {
    throw new Error('it is not built: run "npm ci && npm run build" in this checkout, then restart Parley', { cause })
  })
}

/** A service cannot write where its program is: then the client is built when Parley is installed or updated. */
async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch(() => {
    throw new Error(
      `it is not built, and the installation is read-only: run "npm run build" as the owner of this installation, then restart Parley`,
    )
  })
}

/** What the service worker stores: scripts, styles, and the font that every screen needs. */
const shellFiles = 'assets/{*.js,*.css,inter-latin-wght-normal-*.woff2}'

const workerTextIds = [
  'notify.toGroup',
  'notify.newDirect',
  'topic.general',
  'push.message',
  'push.count',
  'push.test.title',
  'push.test.body',
]

/** Tells the service worker which files there are. They change its content, so that browsers notice a new version. */
async function listShell(folder: string): Promise<void> {
  const names = (await Array.fromAsync(glob(shellFiles, { cwd: folder }))).sort()
  const files = [...names.map((name) => `/app/${name}`), '/static/emoji-data.json']
  const hash = createHash('sha256').update(await readFile(join(folder, 'index.html')))
  const version = hash.update(files.join()).digest('hex').slice(0, 16)
  const path = join(folder, 'sw.js')
  const script = (await readFile(path, 'utf8'))
    .replaceAll('SHELL_VERSION', JSON.stringify(version))
    .replaceAll('SHELL_FILES', JSON.stringify(files))
    .replaceAll('WORKER_TEXTS', JSON.stringify(await workerTexts()))
  await writeFile(path, script)
}

/** The texts of the service worker. It has no imports, because browsers load it as a single script. */
async function workerTexts(): Promise<Record<string, Record<string, string>>> {
  const folder = join(root, 'src/texts')
  const texts = (await readdir(folder))
    .filter((name) => name.endsWith('.json'))
    .map(async (name): Promise<[string, Record<string, string>]> => {
      const all: Record<string, string> = JSON.parse(await readFile(join(folder, name), 'utf8'))
      return [name.replace('.json', ''), Object.fromEntries(workerTextIds.map((id) => [id, all[id]!]))]
    })
  return Object.fromEntries(await Promise.all(texts))
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Removes earlier builds. Servers keep their files in memory, so that none of them is missed. */
async function removeOthers(out: string, hash: string): Promise<void> {
  const old = (await readdir(out)).filter((name) => /^[0-9a-f]{64}$/.test(name) && name !== hash)
  for (const name of old) await rm(join(out, name), { recursive: true, force: true })
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Compresses once here instead of for every visitor. */
async function compressAll(folder: string): Promise<void> {
  for await (const name of glob('**/*.{js,css,html,svg,txt}', { cwd: folder })) {
    const path = join(folder, name)
    const content = await readFile(path)
    await writeFile(`${path}.br`, await brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
    await writeFile(`${path}.gz`, await zip(content, { level: 9 }))
  }
}

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } })
try {
  console.log(await buildWeb(resolve(values.out)))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
