import { lookup } from '@parley/api/lookup'

export type Row = Record<string, string | number | boolean | Date | null>

export interface ListOptions {
  json?: boolean
}

const gap = '  '

/** Prints rows for people, or as JSON for programs. `empty` is printed instead of a table without rows. */
export function printRows(rows: Row[], { json }: ListOptions, empty: string): void {
  if (json) console.log(JSON.stringify(rows, null, 2))
  else console.log(rows.length === 0 ? empty : tableOf(rows))
}

/** Left-aligned columns below their names in capitals. */
export function tableOf(rows: Row[]): string {
  const columns = Object.keys(rows[0]!)
  const lines = [
    columns.map((name) => name.toUpperCase().replaceAll('_', ' ')),
    ...rows.map((row) => cellsOf(row, columns)),
  ]
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index]!.length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join(gap)
        .trimEnd(),
    )
    .join('\n')
}

function cellsOf(row: Row, columns: string[]): string[] {
  return columns.map((name) => shown(lookup(row, name)!))
}

/** Names may contain control characters, which must not reach the terminal. */
function shown(value: Row[string]): string {
  if (value === null || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace('T', ' ')
  return String(value).replaceAll(/\p{Cc}/gu, '?')
}
