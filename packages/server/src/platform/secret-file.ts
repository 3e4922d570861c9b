import { randomBytes } from 'node:crypto'
import { constants, readFileSync } from 'node:fs'
import { link, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataDir, openDataDir } from './postgres/data-dir.ts'
import { openPrivate, replacePrivate } from './postgres/private-file.ts'
import { errorCode, reasonOf, StartupError } from './postgres/startup-error.ts'

/** The secrets of a server: the first one seals, the others can still be read. */
export type Secrets = [string, ...string[]]

/**
 * The keys that encrypt API keys, one in a line. The first is created at the first start and stored beside the data,
 * outside the database.
 */
export async function readSecretFile(dataDir: string): Promise<Secrets> {
  const dir = await openDataDir(dataDir)
  const path = secretPath(dir.root)
  try {
    const secrets = parseSecrets((await readIfThere(path)) ?? (await make(path, dir.owner)))
    if (secrets) return secrets
  } catch (error) {
    throw new StartupError(
      `The secret in ${path} cannot be used (${reasonOf(error)}): make it readable for this user.`,
      {
        cause: error,
      },
    )
  }
  throw new StartupError(`The secret in ${path} is damaged: restore it from a backup, or set SECRET_KEY.`)
}

/** The same for a process that has read it before. Returns `before` if the file cannot be read now. */
export function rereadSecretFile(dataDir: string, before: Secrets): Secrets {
  try {
    return parseSecrets(readFileSync(secretPath(dataDir), 'utf8')) ?? before
  } catch {
    return before
  }
}

/** Replaces the secrets; processes that use them notice within a minute. */
export async function writeSecretFile(dataDir: string, secrets: Secrets): Promise<void> {
  const dir = await openDataDir(dataDir)
  await replacePrivate(secretPath(dir.root), secrets.join('\n'), dir.owner)
}

/** Seconds since the secrets were replaced. */
export async function ageOfSecretFile(dataDir: string): Promise<number> {
  return (Date.now() - (await stat(secretPath(dataDir))).mtimeMs) / 1000
}

export function newSecret(): string {
  return randomBytes(32).toString('hex')
}

function secretPath(folder: string): string {
  return join(folder, 'secret.key')
}

export function parseSecrets(text: string): Secrets | undefined {
  const lines = text.trim().split('\n')
  return lines.every((line) => /^[0-9a-f]{64}$/.test(line)) ? (lines as Secrets) : undefined
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Complete before it is linked to its name; the first process that links it decides for all. */
async function make(path: string, owner: DataDir['owner']): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = await openPrivate(draft, constants.O_WRONLY | constants.O_EXCL, owner)
  try {
    await file.writeFile(newSecret())
    await file.sync()
    await link(draft, path).catch(ignoreExisting)
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
  return (await readFile(path, 'utf8')).trim()
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error
}
