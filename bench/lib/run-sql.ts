import pg from 'pg'

/** Runs statements one after another on a connection of their own. */
export async function runSql(databaseUrl: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
