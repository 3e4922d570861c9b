import type { Entry } from 'ldapts'
import { foldCase } from '../../../platform/text.ts'
import { equals, textsOf } from './ldap-attributes.ts'
import { bindAsService, type Conversation, type LdapDirectory } from './ldap-connection.ts'

/** The names and distinguished names of the person's groups: listed in the entry, or found by their members. */
export async function groupsOf(conversation: Conversation, directory: LdapDirectory, entry: Entry): Promise<string[]> {
  if (directory.group_base === undefined) return listedGroups(entry)
  const { library, client } = conversation
  await bindAsService(conversation, directory)
  const filters = memberAttributes.map((attribute) => equals(library, attribute, entry.dn))
  const { searchEntries } = await client.search(directory.group_base, {
    scope: 'sub',
    filter: new library.OrFilter({ filters }),
    attributes: ['1.1'],
  })
  return searchEntries.flatMap(namesOf)
}

const memberAttributes = ['member', 'uniqueMember']

/** Tells the groups of many people, after reading the members of each mapped group once. */
export async function readGroups(
  { library, client }: Conversation,
  { groups = {}, group_base }: LdapDirectory,
): Promise<(entry: Entry) => string[]> {
  if (group_base === undefined) return listedGroups
  const names = Object.keys(groups).map((name) => firstValueOf(name) ?? name)
  if (names.length === 0) return () => []
  const filter = new library.OrFilter({ filters: names.map((name) => equals(library, 'cn', name)) })
  const { searchEntries } = await client.search(group_base, { scope: 'sub', filter, attributes: memberAttributes })
  const membersOf = new Map(
    searchEntries.map((group) => [
      group,
      new Set(memberAttributes.flatMap((one) => textsOf(group, one)).map(comparableDn)),
    ]),
  )
  return ({ dn }) => searchEntries.filter((group) => membersOf.get(group)!.has(comparableDn(dn))).flatMap(namesOf)
}

function listedGroups(entry: Entry): string[] {
  return textsOf(entry, 'memberOf').flatMap((dn) => namesOf({ dn }))
}

function namesOf({ dn }: Pick<Entry, 'dn'>): string[] {
  return [dn, firstValueOf(dn) ?? dn]
}

/** `Engineers` for `cn=Engineers,ou=groups,dc=example,dc=com`. */
function firstValueOf(dn: string): string | undefined {
  return /^[^=,]+=((?:\\.|[^,+\\])*)/.exec(dn)?.[1]?.replace(/\\(.)/g, '$1')
}

/** Directories may write the same distinguished name with other spaces and letters. */
export function comparableDn(dn: string): string {
  const parts = dn.split(/([,=+])/)
  return foldCase(parts.map((part) => part.trim()).join(''))
}
