import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import type pg from 'pg'
import { reachDatabase } from '../../boot/open-database.ts'
import { readConfig } from '../../config.ts'
import {
  beginDeletion,
  countRows,
  deleteRealmFiles,
  deleteRealmRows,
  endDeletion,
} from '../../operation/deletion/delete-realm.ts'
import { connectToPrimary } from '../../platform/db/database-hosts.ts'
import { isInsufficientPrivilege } from '../../platform/db/db-errors.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { findRealm, withContext } from '../open-context.ts'
import { startProgress } from '../progress.ts'

/** Deletes an organization with its messages, accounts and files. After an interruption it is repeated. */
export async function deleteOrganization({ realm: stringId, yes }: { realm: string; yes?: boolean }): Promise<void> {
  await withContext(async (ctx) => {
    const { id, name } = await findRealm(ctx.db, stringId)
    if (!yes) await askForName(name)
    await beginDeletion(ctx, id)
    await withOwner(async (client) => {
      const progress = startProgress('rows', await countRows(client, id))
      const rows = await counted((deleted) => deleteRealmRows(client, id, deleted), progress)
      const files = await counted((deleted) => deleteRealmFiles(ctx.files, id, deleted), startProgress('files', 0))
      await endDeletion(client, id)
      console.log(`Deleted ${name}: ${rows} rows and ${files} files. Backups still contain it.`)
    })
  })
}

async function counted(
  work: (deleted: (count: number) => void) => Promise<void>,
  progress: ReturnType<typeof startProgress>,
) {
  let total = 0
  await work((count) => {
    total += count
    progress.add(count)
  }).finally(progress.end)
  return total
}

async function askForName(name: string): Promise<void> {
  const question = `This deletes ${name} with all its messages, accounts and files. Type its name to go on: `
  if ((await typed(question)) !== name)
    throw new StartupError('Nothing was deleted: that is not the name of the organization.')
}

async function typed(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/, 1)[0]!
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  return terminal.question(question).finally(() => terminal.close())
}

/** The role that serves may not delete audit rows, and no statement may run for long there. */
async function withOwner(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const database = await reachDatabase(readConfig('production'), console.error)
  const client = await connectToPrimary(database.url)
  try {
    await client.query('set statement_timeout = 0')
    await work(client)
  } catch (error) {
    if (!isInsufficientPrivilege(error)) throw error
    throw new StartupError('Only the owner of the database can delete an organization: set DATABASE_OWNER_URL.')
  } finally {
    await client.end()
    await database.close()
  }
}
