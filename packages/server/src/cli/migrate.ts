import { readConfig } from '../config.ts'
import { joinDatabase } from '../database.ts'

export async function migrateOnly(): Promise<void> {
  const database = await joinDatabase(readConfig('production'), (line) => console.log(line))
  await database.close()
  console.log('The database is up to date.')
}
