import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, constants, glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'

export interface WebFile {
  type: string
  etag: string
  body: Buffer
  /** Compressed forms, by their name in Accept-Encoding. */
  br: Buffer | undefined
  gzip: Buffer | undefined
}

const types = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.woff2', 'font/woff2'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.json', 'application/json; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json'],
])

const webPackage = new URL('../../../web/', import.meta.url).pathname

/** The files of the web client, in memory. They are built beside the start of the server, which does not wait. */
export class WebFiles {
  #files: ReadonlyMap<string, WebFile> = new Map()
  #problem: string | undefined
  #preparing: Promise<void> | undefined
  readonly #dataDir: string
  readonly #log: FastifyBaseLogger

  constructor(dataDir: string, log: FastifyBaseLogger) {
    this.#dataDir = dataDir
    this.#log = log
  }

  /** By path below the base, such as `index.html`. Undefined while the client is being built. */
  get(path: string): WebFile | undefined {
    return this.#files.get(path)
  }

  /** Why the client could not be built. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Builds the client where the sources changed, then loads it; once. */
  prepare(): Promise<void> {
    this.#preparing ??= this.#prepare()
    return this.#preparing
  }

  async #prepare(): Promise<void> {
    try {
      const folder = await outputFolder(this.#dataDir)
      this.#files = await loadFiles(await runBuilder(folder))
    } catch (error) {
      this.#problem = (error as Error).message
      this.#log.error({ err: error }, 'the web client could not be built')
    }
  }
}

/** In the checkout, which all servers on it share; where that is read-only, in the data folder. */
async function outputFolder(dataDir: string): Promise<string> {
  const isWritable = await access(webPackage, constants.W_OK).then(
    () => true,
    () => false,
  )
  return isWritable ? join(webPackage, 'dist') : join(dataDir, 'web')
}

/** The folder with the built files. */
function runBuilder(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(webPackage, 'build.ts'), '--out', folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk))
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk).slice(-4000)))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0
        ? resolve(output.trim().split('\n').at(-1)!)
        : reject(new Error(errors || `the build exited with ${code}`)),
    )
    child.unref()
  })
}

async function loadFiles(folder: string): Promise<Map<string, WebFile>> {
  const files = new Map<string, WebFile>()
  for await (const name of glob('**/*.{html,js,css,woff2,svg,png,json,webmanifest}', { cwd: folder }))
    files.set(name.replaceAll('\\', '/'), await loadFile(join(folder, name)))
  return files
}

async function loadFile(path: string): Promise<WebFile> {
  const body = await readFile(path)
  const compressed = (ending: string) => readFile(path + ending).catch(() => undefined)
  return {
    body,
    type: types.get(path.slice(path.lastIndexOf('.'))) ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    br: await compressed('.br'),
    gzip: await compressed('.gz'),
  }
}
