import { type Block, block } from '../tree.ts'

const alignments = new Map([
  [':-:', 'center'],
  [':-', 'left'],
  ['-:', 'right'],
])

// Many short rows under a wide header would produce a huge message.
const maxCells = 5000

// A pipe after a backslash is text.
const endBorder = /(?<!\\)\|$/

/** A header row, a row of dashes, and rows, all with cells separated by `|`. */
export function table(text: string, parent: Block): boolean {
  if (!text.includes('|') || !text.includes('-')) return false
  const rows = text.split('\n').map((row) => row.trim())
  const columns = tableColumns(rows)
  if (!columns) return false
  const bordered = hasBorder(rows[0] ?? '')
  const made = block('table', parent)
  addRow(block('thead', made), 'th', splitRow(rows[0] ?? '', bordered), columns)
  const body = block('tbody', made)
  // A table without rows shows an empty one.
  if (rows.length === 2) addRow(body, 'td', [], Array(columns.length).fill(''))
  for (const row of rows.slice(2)) addRow(body, 'td', splitRow(row, bordered), columns)
  return true
}

/** The alignment of each column ('' for none), or undefined if the rows are not a table. */
function tableColumns(rows: string[]): string[] | undefined {
  const [header = '', delimiter = ''] = rows
  const bordered = hasBorder(header)
  const names = splitRow(header, bordered)
  const marks = splitRow(delimiter, bordered)
  if (rows.length < 2 || names.length !== marks.length || !/^[|:\- ]+$/.test(delimiter)) return undefined
  if (names.length * rows.length > maxCells) return undefined
  // With one column, only the pipes distinguish a table from text.
  if (names.length < 2 && !(bordered && rows.every(hasBorder))) return undefined
  return marks.map(alignment)
}

function hasBorder(row: string): boolean {
  return row.startsWith('|') || endBorder.test(row)
}

function alignment(mark: string): string {
  return alignments.get(mark.trim().replace(/-+/, '-')) ?? ''
}

function addRow(parent: Block, tag: string, cells: string[], columns: string[]): void {
  const row = block('tr', parent)
  columns.forEach((align, index) => {
    const cell = block(tag, row, (cells[index] ?? '').trim())
    if (align) cell.attributes = ` style="text-align: ${align};"`
  })
}

/** Splits at pipes, except those inside code spans or after a backslash. */
function splitRow(row: string, bordered: boolean): string[] {
  const inner = bordered ? row.replace(/^\|/, '').replace(endBorder, '') : row
  const cells: string[] = []
  let start = 0
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === '\\') at++
    else if (inner[at] === '`') at = endOfCode(inner, at)
    else if (inner[at] === '|') {
      cells.push(inner.slice(start, at))
      start = at + 1
    }
  }
  cells.push(inner.slice(start))
  return cells
}

/** The last character of the code span that opens here, or of the run of backticks if it opens none. */
function endOfCode(row: string, start: number): number {
  const runs = row.slice(start).matchAll(/`+/g)
  const opening = runs.next().value?.[0].length ?? 1
  for (const { 0: run, index } of runs) if (run.length === opening) return start + index + opening - 1
  return start + opening - 1
}
