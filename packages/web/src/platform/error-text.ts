import { ParleyError } from '@parley/client/errors'
import { t } from './i18n.ts'

/** The server says in English why it refuses; everything else means that it did not answer. */
export function errorText(error: unknown): string {
  return error instanceof ParleyError ? error.message : t('error.unreachable')
}
