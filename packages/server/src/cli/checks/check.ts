import { readConfig } from '../../config.ts'
import { type ListOptions, printRows } from '../print-table.ts'
import { runChecks } from './checks.ts'

/** Prints what is in order and what is not. The exit code is 1 if there is a problem. */
export async function checkServer(options: ListOptions): Promise<void> {
  const findings = await runChecks(readConfig('production'))
  printRows(
    findings.map((finding) => ({ ...finding })),
    options,
    '',
  )
  if (findings.some(({ result }) => result === 'problem')) process.exitCode = 1
}
