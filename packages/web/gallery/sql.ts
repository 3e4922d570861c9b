import pg from 'pg'

export async function query(url: string, text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text, values)
  } finally {
    await client.end()
  }
}
