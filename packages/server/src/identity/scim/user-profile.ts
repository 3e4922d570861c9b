import { lookup } from '@parley/api/lookup'
import { type Change, isJson, textIn } from './patch.ts'
import { ScimError } from './scim-error.ts'

/** What a provider can say about a user. Null: it says that there is none. */
export interface Profile {
  userName?: string | null
  externalId?: string | null
  active?: boolean
  displayName?: string | null
  formatted?: string | null
  givenName?: string | null
  familyName?: string | null
  email?: string | null
}

type Apply = (profile: Profile, change: Change) => void

const attributes: Record<string, Apply> = {
  username: (profile, change) => {
    profile.userName = textIn(change)
  },
  externalid: (profile, change) => {
    profile.externalId = textIn(change)
  },
  displayname: (profile, change) => {
    profile.displayName = textIn(change)
  },
  active: (profile, change) => {
    if (change.op !== 'remove') profile.active = booleanOf(change.value)
  },
  name: applyName,
  emails: applyEmails,
}

/** Attributes of the core schema that we do not store. Providers send them by default, so that they are no error. */
const ignored = new Set(
  `nickname profileurl title usertype preferredlanguage locale timezone password phonenumbers ims photos addresses
groups entitlements roles x509certificates`.split(/\s+/),
)

export function applyToProfile(profile: Profile, changes: Change[]): Profile {
  const changed = { ...profile }
  for (const change of changes) {
    const { attribute } = change.path
    const apply = lookup(attributes, attribute)
    if (apply) apply(changed, change)
    else if (attribute !== '' && !ignored.has(attribute))
      throw new ScimError(`Users have no attribute ${attribute}.`, 'invalidPath')
  }
  return changed
}

const names: Record<string, 'formatted' | 'givenName' | 'familyName'> = {
  formatted: 'formatted',
  givenname: 'givenName',
  familyname: 'familyName',
}

function applyName(profile: Profile, change: Change): void {
  const { path, value, op } = change
  if (path.sub !== undefined) {
    const name = lookup(names, path.sub)
    if (name) profile[name] = textIn(change)
    return
  }
  const parts = op === 'remove' ? {} : value
  if (!isJson(parts)) throw new ScimError('name must be an object.', 'invalidValue')
  for (const [sub, one] of Object.entries(parts))
    applyName(profile, { op, value: one, path: { ...path, sub: sub.toLowerCase() } })
}

/** An account has one email: the primary one, or the one for work, or the first. */
function applyEmails(profile: Profile, change: Change): void {
  const { path, value, op } = change
  if (path.filter && !path.filter.some(({ path: { attribute }, value: wanted }) => isMain(attribute, wanted))) return
  if (op === 'remove') profile.email = null
  else if (path.sub !== undefined) {
    if (path.sub === 'value') profile.email = textIn(change)
  } else profile.email = mainEmail(change, Array.isArray(value) ? value : [value])
}

function isMain(attribute: string, wanted: unknown): boolean {
  return attribute === 'type' ? String(wanted).toLowerCase() === 'work' : attribute === 'primary' && booleanOf(wanted)
}

function mainEmail(change: Change, list: unknown[]): string | null {
  const emails = list.map((one) => (typeof one === 'string' ? { value: one } : one))
  if (!emails.every(isJson)) throw new ScimError('emails must be a list of objects.', 'invalidValue')
  const isPrimary = ({ primary }: { primary?: unknown }) => primary !== undefined && booleanOf(primary)
  const main = emails.find(isPrimary) ?? emails.find(({ type }) => type === 'work') ?? emails[0]
  return main ? textIn({ ...change, value: main.value }) : null
}

/** Entra sends booleans as text, with a capital. */
export function booleanOf(value: unknown): boolean {
  const text = String(value).toLowerCase()
  if (text !== 'true' && text !== 'false') throw new ScimError('The value must be true or false.', 'invalidValue')
  return text === 'true'
}
