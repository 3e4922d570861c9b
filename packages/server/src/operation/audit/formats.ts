import type { AuditRow } from '@parley/api/operation/audit-log'

export const formats = {
  csv: { type: 'text/csv; charset=utf-8', header: () => csvLine(columns), line: csvRow },
  ndjson: { type: 'application/x-ndjson; charset=utf-8', header: () => '', line: jsonLine },
} as const

const columns = [
  ...(['id', 'time', 'action', 'actor_id', 'actor_owner_id', 'via', 'credential_id', 'ip_address'] as const),
  ...(['target', 'before', 'after', 'hash'] as const),
]

function jsonLine(row: AuditRow): string {
  return `${JSON.stringify(row)}\n`
}

function csvRow(row: AuditRow): string {
  const time = new Date(row.time * 1000).toISOString()
  return csvLine(columns.map((name) => (name === 'time' ? time : textOf(row[name]))))
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function csvLine(values: readonly string[]): string {
  return `${values.map(quoted).join(',')}\r\n`
}

/** Spreadsheets would run values that begin like a formula. */
function quoted(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
