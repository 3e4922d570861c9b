import type { Json } from './patch.ts'
import type { Profile } from './user-profile.ts'
import type { ScimUser } from './user-queries.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'

export function userResource(user: ScimUser, base: string): Json {
  const { id, external_id, given_name, family_name } = user
  const name = {
    formatted: user.full_name,
    ...(given_name !== null && { givenName: given_name }),
    ...(family_name !== null && { familyName: family_name }),
  }
  return {
    schemas: [userSchema],
    id: String(id),
    ...(external_id !== null && { externalId: external_id }),
    userName: user.user_name,
    name,
    displayName: user.full_name,
    active: user.is_active,
    emails: [{ value: user.email, type: 'work', primary: true }],
    meta: { resourceType: 'User', created: user.date_joined.toISOString(), location: `${base}/Users/${id}` },
  }
}

/** What the provider has said so far, which a PATCH changes. */
export function profileOf(user: ScimUser): Profile {
  return {
    userName: user.user_name,
    externalId: user.external_id,
    active: user.is_active,
    email: user.email,
    displayName: user.full_name,
    formatted: user.full_name,
    givenName: user.given_name,
    familyName: user.family_name,
  }
}

/** The name that people see. After a PATCH, the first part that it has changed decides. */
export function fullNameOf(next: Profile, before: Profile = {}): string | undefined {
  const joined = ({ givenName, familyName }: Profile) => [givenName, familyName].filter(Boolean).join(' ')
  const candidates: [string | null | undefined, string | null | undefined][] = [
    [next.displayName, before.displayName],
    [next.formatted, before.formatted],
    [joined(next), joined(before)],
  ]
  const changed = candidates.find(([now, earlier]) => now && now !== earlier)
  return (changed ?? candidates[0]!)[0] || undefined
}

/** The email: the one that the provider names, or the user name. A user name that was the email takes it along. */
export function emailOf(next: Profile, before: Profile = {}): string {
  const wasUserName = before.email !== undefined && before.email === before.userName
  return (wasUserName && next.email === before.email ? next.userName : next.email) ?? next.userName!
}
