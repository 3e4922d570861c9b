import { createHash } from 'node:crypto'
import type { Realm } from '../../callers/realm-state.ts'

/** The default icon of an organization without an uploaded one. */
export function realmIcon({ string_id }: Pick<Realm, 'string_id'>): string {
  const hash = createHash('md5').update(string_id).digest('hex')
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=1`
}
