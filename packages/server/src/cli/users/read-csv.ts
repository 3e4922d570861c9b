import { readFile } from 'node:fs/promises'
import { lookup } from '@parley/api/lookup'
import { parse } from 'csv-parse/sync'
import { emailKey } from '../../platform/emails.ts'
import { reasonOf, StartupError } from '../../platform/postgres/startup-error.ts'

export type CsvRow = Record<string, string>

/** The lines of a CSV file by column. `header` is shown if the file lacks a required column. */
export async function readCsv(file: string, header: string, required: string[]): Promise<CsvRow[]> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new StartupError(`${file} cannot be read (${reasonOf(error)}).`)
  })
  const rows = parseRows(text, file)
  const [first] = rows
  if (!first || required.some((column) => lookup(first, column) === undefined))
    throw new StartupError(`${file} needs a first line "${header}" and a line for each account.`)
  return rows
}

function parseRows(text: string, file: string): CsvRow[] {
  try {
    return parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true }) as CsvRow[]
  } catch (error) {
    throw new StartupError(`${file} is not a CSV file: ${reasonOf(error)}`)
  }
}

/** Throws if an email is listed twice. */
export function checkEmailsDiffer(rows: { email: string }[], file: string): void {
  const emails = rows.map(({ email }) => emailKey(email))
  const repeated = rows.find(({ email }, index) => emails.indexOf(emailKey(email)) !== index)
  if (repeated) throw new StartupError(`${repeated.email} is listed twice in ${file}: remove one of the lines.`)
}
