import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { type Address, openAddress } from './connection-url.ts'
import { openDataDir } from './data-dir.ts'

/** The PostgreSQL that another Parley runs on DATA_DIR, if one responds. */
export async function findRunningPostgres(dataDir: string): Promise<Address | undefined> {
  const dir = await openDataDir(dataDir)
  const password = await readFile(dir.password, 'utf8').catch(() => '')
  if (password === '') return undefined
  const address = await openAddress(dir.cluster, password.trim()).catch(() => undefined)
  if (!address || (await answers(address.url))) return address
  await address.close()
  return undefined
}

/** A server that is gone refuses at once. One that is late is only busy. */
const answerMilliseconds = 30_000

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerMilliseconds })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
