import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { isBundled, webClientFolder } from '../platform/installation.ts'

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
  ['.txt', 'text/plain; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json'],
])

/**
 * The files of the web client, in memory. A client built before is used; otherwise it is built beside the start of the
 * server, which does not wait. Only the installation holds code, never the data folder. A bundle contains its client.
 */
export class WebFiles {
  #files: ReadonlyMap<string, WebFile> = new Map()
  #problem: string | undefined
  #preparing: Promise<void> | undefined
  readonly #log: FastifyBaseLogger
  /** Where to build; undefined in a bundle. */
  readonly #folder: string | undefined

  constructor(
    log: FastifyBaseLogger,
    folder: string | undefined = isBundled ? undefined : join(webClientFolder, 'dist'),
  ) {
    this.#log = log
    this.#folder = folder
  }

  /** By path below the base, such as `index.html`. Undefined while the client is being built. */
  get(path: string): WebFile | undefined {
    return this.#files.get(path)
  }

  /** Why there is no client. */
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
      this.#files = await loadFiles(this.#folder === undefined ? webClientFolder : await runBuilder(this.#folder))
    } catch (error) {
      this.#problem = (error as Error).message.split('\n', 1)[0]!
      this.#log.error({ err: error }, 'there is no web client')
    }
  }
}

/** The folder with the built files. */
function runBuilder(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(webClientFolder, 'build.ts'), '--out', folder], {
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
        : reject(new Error(errors.trim() || `the build exited with ${code}`)),
    )
    child.unref()
  })
}

async function loadFiles(folder: string): Promise<Map<string, WebFile>> {
  const files = new Map<string, WebFile>()
  for await (const name of glob('**/*.{html,js,css,woff2,svg,png,json,txt,webmanifest}', { cwd: folder }))
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
