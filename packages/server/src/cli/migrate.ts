import { readConfig } from '../boot/config.ts'
import { openDatabase } from '../boot/open-database.ts'

export async function migrateOnly(): Promise<void> {
  const database = await openDatabase(readConfig('production'), (line) => console.log(line))
  await database.close()
  console.log('The database is up to date.')
}
