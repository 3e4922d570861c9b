import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

type Value = string | number | boolean | Date | Buffer | null

/** Writes rows with COPY, which is several times faster than inserting them. */
export async function copyRows(client: pg.Client, table: string, columns: string[], rows: Value[][]): Promise<void> {
  if (rows.length === 0) return
  const target = client.query(copyFrom(`copy ${table} (${columns.join()}) from stdin`))
  await pipeline(Readable.from(linesOf(rows), { objectMode: false }), target)
}

const linesAtOnce = 200

function* linesOf(rows: Value[][]): Generator<Buffer> {
  for (let start = 0; start < rows.length; start += linesAtOnce) {
    const lines = rows.slice(start, start + linesAtOnce).map((row) => `${row.map(textOf).join('\t')}\n`)
    yield Buffer.from(lines.join(''))
  }
}

function textOf(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escaped(value)
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`
  return String(value)
}

const escapes = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function escaped(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (char) => escapes.get(char)!) : text
}
