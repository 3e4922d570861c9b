import { findMissingMigrations, migrateDatabase } from '../boot/open-database.ts'
import { readConfig } from '../config.ts'

export async function migrateOnly({ check = false }: { check?: boolean }): Promise<void> {
  const config = readConfig('production')
  if (check) return console.log(resultOf(await findMissingMigrations(config, console.error)))
  await migrateDatabase(config, (line) => console.log(line))
  console.log('The database is up to date.')
}

function resultOf(missing: string[] | undefined): string {
  if (!missing) return 'There is no database yet.'
  return missing.length === 0 ? 'The database is up to date.' : `A start would apply ${missing.join(', ')}.`
}
