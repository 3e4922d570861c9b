import { clean } from './rows/row-values.ts'

/** An IANA name, or none. */
export function timezoneOf(timezone: unknown): string {
  const name = clean(timezone)
  try {
    return name === '' ? '' : new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions() && name
  } catch {
    return ''
  }
}
