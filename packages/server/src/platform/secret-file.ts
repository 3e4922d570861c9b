import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataDir, openDataDir } from './postgres/data-dir.ts'
import { openPrivate } from './postgres/private-file.ts'
import { errorCode, reasonOf, StartupError } from './postgres/startup-error.ts'

/** The key that encrypts API keys, created at the first start and stored beside the data, outside the database. */
export async function readSecretFile(dataDir: string): Promise<string> {
  const dir = await openDataDir(dataDir)
  const path = join(dir.root, 'secret.key')
  try {
    const secret = (await readIfThere(path)) ?? (await make(path, dir.owner))
    if (/^[0-9a-f]{64}$/.test(secret)) return secret
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
    await file.writeFile(randomBytes(32).toString('hex'))
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
