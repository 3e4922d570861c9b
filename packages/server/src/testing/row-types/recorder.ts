import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CompiledQuery, DefaultQueryExecutor, type RootOperationNode } from 'kysely'
import pg from 'pg'

/** A statement that a test executed. */
export interface Statement {
  /** The URL of the source file, with the line and column of the call. */
  site: string
  text: string
  /** The columns in which a row contained null. */
  nulls: string[]
}

/** One call site can create several statements, because fragments are inserted into them. */
const statements = new Map<unknown, Map<string, Statement>>()
const running = new WeakMap<CompiledQuery, Statement>()
/** Machinery between the call site and the statement. */
const machinery = /node_modules|node:|platform\/db\/query\.ts|row-types\/recorder\.ts/

/** Records the statements of this process; when it ends, they are written to a file for the check of row types. */
export function recordStatements(folder: string): void {
  recordKysely()
  recordPool()
  process.on('exit', () => {
    const all = [...statements.values()].flatMap((byText) => [...byText.values()])
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(all))
  })
}

function recordKysely(): void {
  const executor = DefaultQueryExecutor.prototype
  const { compileQuery, executeQuery } = executor
  executor.compileQuery = function (node, queryId) {
    const query = compileQuery.call(this, node, queryId) as CompiledQuery<never>
    running.set(query, statementOf(keyOf(node), query.sql))
    return query
  }
  executor.executeQuery = async function (query, options) {
    const result = await executeQuery.call(this, query, options)
    const statement = running.get(query)
    if (statement) noteNulls(statement, result.rows as object[])
    return result as never
  }
}

/** Every evaluation of a template literal shares its strings, so that call sites with equal statements differ. */
function keyOf(node: RootOperationNode): unknown {
  return node.kind === 'RawNode' ? node.sqlFragments : undefined
}

function recordPool(): void {
  const { query } = pg.Pool.prototype as unknown as { query: PoolQuery }
  const recorded: PoolQuery = async function (this: pg.Pool, config, values) {
    const statement = statementOf(undefined, typeof config === 'string' ? config : config.text)
    const result = await query.call(this, config, values)
    noteNulls(statement, result.rows)
    return result
  }
  pg.Pool.prototype.query = recorded as never
}

type PoolQuery = (this: pg.Pool, config: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>

function statementOf(key: unknown, text: string): Statement {
  const byText = statements.get(key) ?? new Map<string, Statement>()
  statements.set(key, byText)
  const statement = byText.get(text) ?? { site: callSite(), text, nulls: [] }
  byText.set(text, statement)
  return statement
}

function callSite(): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 30
  const frames = new Error().stack!.split('\n').slice(1)
  Error.stackTraceLimit = limit
  const frame = frames.find((line) => !machinery.test(line)) ?? ''
  return /file:.*:\d+:\d+/.exec(frame)?.[0] ?? ''
}

function noteNulls(statement: Statement, rows: object[] = []): void {
  for (const row of rows.slice(0, 20))
    for (const [name, value] of Object.entries(row))
      if (value === null && !statement.nulls.includes(name)) statement.nulls.push(name)
}
