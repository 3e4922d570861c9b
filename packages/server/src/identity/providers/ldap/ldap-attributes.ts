import { lookup } from '@parley/api/lookup'
import type { Entry, Filter } from 'ldapts'
import { foldCase } from '../../../platform/text.ts'
import type { Library } from './ldap-connection.ts'

/** Values become part of the request as they are, not as text of a filter, so that none can change its meaning. */
export function equals({ EqualityFilter }: Library, attribute: string, value: string | Buffer): Filter {
  return new EqualityFilter({ attribute, value })
}

/** Servers may spell the names of attributes in their own way. */
function valuesOf(entry: Entry, attribute: string): (string | Buffer)[] {
  const name = Object.keys(entry).find((one) => foldCase(one) === foldCase(attribute))
  return [lookup(entry, name ?? attribute) ?? []].flat()
}

export function buffersOf(entry: Entry, attribute: string): Buffer[] {
  return valuesOf(entry, attribute).map((value) => Buffer.from(value as string))
}

export function textsOf(entry: Entry, attribute: string): string[] {
  return valuesOf(entry, attribute)
    .map((value) => value.toString())
    .filter((value) => value !== '')
}
