import pg from 'pg'

/** A column of a result, as PostgreSQL describes it without executing the statement. */
export interface Column {
  name: string
  /** What node-postgres creates from a value that is not null. */
  type: string
}

/** The part of a node-postgres connection that describes a statement. It has no public types. */
interface Connection {
  parse(query: { text: string; name: string; types: number[] }): void
  describe(statement: { type: 'S'; name: string }): void
  sync(): void
}

const { builtins } = pg.types
const types = new Map<number, string>([
  [builtins.BOOL, 'boolean'],
  ...[builtins.INT2, builtins.INT4, builtins.INT8, builtins.FLOAT4, builtins.FLOAT8, builtins.OID].map(
    (oid): [number, string] => [oid, 'number'],
  ),
  [builtins.TIMESTAMP, 'Date'],
  [builtins.TIMESTAMPTZ, 'Date'],
  [builtins.DATE, 'Date'],
  [builtins.BYTEA, 'Buffer'],
  [builtins.JSON, 'JSON'],
  [builtins.JSONB, 'JSON'],
  [1000, 'boolean[]'],
  ...[1005, 1007, 1016, 1021, 1022].map((oid): [number, string] => [oid, 'number[]']),
  ...[1009, 1015, 2951].map((oid): [number, string] => [oid, 'string[]']),
  ...[1115, 1185, 1182].map((oid): [number, string] => [oid, 'Date[]']),
  ...[199, 3807].map((oid): [number, string] => [oid, 'JSON[]']),
  [1001, 'Buffer[]'],
])

/** Asks PostgreSQL for the columns of statements. Those that it cannot parse alone, such as FETCH, are left out. */
export async function describeStatements(url: string, texts: Iterable<string>): Promise<Map<string, Column[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const described = new Map<string, Column[]>()
  for (const text of new Set(texts)) {
    const columns = await describe(client, text)
    if (columns) described.set(text, columns)
  }
  await client.end()
  return described
}

function describe(client: pg.Client, text: string): Promise<Column[] | undefined> {
  return new Promise((resolve) => {
    let columns: Column[] = []
    client.query({
      submit(connection: unknown) {
        const { parse, describe, sync } = connection as Connection
        parse.call(connection, { text, name: '', types: [] })
        describe.call(connection, { type: 'S', name: '' })
        sync.call(connection)
      },
      handleRowDescription({ fields }: { fields: pg.FieldDef[] }) {
        // Unlisted types (numeric, enums, names) are not parsed.
        columns = fields.map(({ name, dataTypeID }) => ({ name, type: types.get(dataTypeID) ?? 'string' }))
      },
      // After an error, node-postgres does not call handleReadyForQuery.
      handleError: () => resolve(undefined),
      handleReadyForQuery: () => resolve(columns),
    } as pg.Submittable)
  })
}
