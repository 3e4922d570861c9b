import type { Entry, Filter } from 'ldapts'
import { emailKey } from '../../../platform/emails.ts'
import { vouchesFor } from '../email-domains.ts'
import type { Claimed } from '../oidc/oidc.ts'
import { buffersOf, equals, textsOf } from './ldap-attributes.ts'
import type { Conversation, LdapDirectory, Library } from './ldap-connection.ts'
import { groupsOf } from './ldap-groups.ts'

const person = '(objectClass=inetOrgPerson)'
/** Without computers and disabled accounts. */
const activeDirectoryPerson =
  '(&(objectCategory=person)(objectClass=user)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))'

/** How the entries of people look in this directory. */
function shapeOf({ active_directory: isAd = false, ...own }: LdapDirectory) {
  return {
    isAd,
    filter: own.filter ?? (isAd ? activeDirectoryPerson : person),
    id: own.id_attribute ?? (isAd ? 'objectGUID' : 'entryUUID'),
    email: own.email_attribute ?? 'mail',
    name: own.name_attribute ?? (isAd ? 'displayName' : 'cn'),
  }
}

function people({ AndFilter, FilterParser }: Library, directory: LdapDirectory, which: Filter): Filter {
  return new AndFilter({ filters: [FilterParser.parseString(shapeOf(directory).filter), which] })
}

/** The people with this email, or with this id. Two are enough to see that it is not one. */
export async function findPeople(
  { library, client }: Conversation,
  directory: LdapDirectory,
  by: { email: string } | { subject: string },
): Promise<Entry[]> {
  const { id, email, name } = shapeOf(directory)
  const which =
    'subject' in by ? equals(library, id, toId(directory, by.subject)) : equals(library, email, by.email.trim())
  const { searchEntries } = await client.search(directory.base, {
    scope: 'sub',
    sizeLimit: 2,
    filter: people(library, directory, which),
    attributes: [id, email, name, 'memberOf'],
    explicitBufferAttributes: [id],
  })
  return searchEntries
}

/** The entries with these ids that belong to people who may sign in, by their id. */
export async function findPresent(
  { library, client }: Conversation,
  directory: LdapDirectory,
  subjects: string[],
): Promise<[subject: string, entry: Entry][]> {
  const { id } = shapeOf(directory)
  const which = new library.OrFilter({
    filters: subjects.map((subject) => equals(library, id, toId(directory, subject))),
  })
  const { searchEntries } = await client.search(directory.base, {
    scope: 'sub',
    filter: people(library, directory, which),
    attributes: [id, 'memberOf'],
    explicitBufferAttributes: [id],
  })
  return searchEntries.flatMap((entry) => {
    const subject = subjectOf(directory, entry)
    return subject === undefined ? [] : [[subject, entry]]
  })
}

/** The photo in an entry. */
export async function readPhoto({ library, client }: Conversation, directory: LdapDirectory, subject: string) {
  const attribute = directory.avatar_attribute!
  const which = equals(library, shapeOf(directory).id, toId(directory, subject))
  const { searchEntries } = await client.search(directory.base, {
    scope: 'sub',
    sizeLimit: 2,
    filter: people(library, directory, which),
    attributes: [attribute],
    explicitBufferAttributes: [attribute],
  })
  return searchEntries.flatMap((entry) => buffersOf(entry, attribute))[0]
}

const wrongPassword = new Set([10, 19, 32, 48, 49, 50, 53])

/** Servers end the connection if a request is very long. */
const longestPassword = 1000

/** Whether the password is the one of the entry. Servers accept an empty one for everybody: it is never sent. */
export async function isPasswordOf({ library, client }: Conversation, { dn }: Entry, password: string) {
  if (password === '' || password.length > longestPassword || dn === '') return false
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    if (error instanceof library.ResultCodeError && wrongPassword.has(error.code)) return false
    throw error
  }
}

/** What the directory says about a person whose password was right. */
export async function readClaims(
  conversation: Conversation,
  directory: LdapDirectory,
  entry: Entry,
  typedEmail: string,
): Promise<Claimed | undefined> {
  const shape = shapeOf(directory)
  const subject = subjectOf(directory, entry)
  if (subject === undefined) return undefined
  const email = textsOf(entry, shape.email).find((one) => emailKey(one) === emailKey(typedEmail.trim()))
  return {
    subject,
    email,
    isVerified: email !== undefined && vouchesFor(directory, email),
    name: textsOf(entry, shape.name)[0],
    groups: directory.groups && (await groupsOf(conversation, directory, entry)),
  }
}

function subjectOf(directory: LdapDirectory, entry: Entry): string | undefined {
  const { isAd, id } = shapeOf(directory)
  const [bytes] = buffersOf(entry, id)
  if (!bytes || bytes.length === 0) return undefined
  return isAd ? bytes.toString('hex') : bytes.toString('utf8')
}

function toId(directory: LdapDirectory, subject: string): string | Buffer {
  return shapeOf(directory).isAd ? Buffer.from(subject, 'hex') : subject
}
