import { hash } from 'node:crypto'
import { roles } from '@parley/api/common'
import type { UserObject } from '@parley/api/people/users'
import { apiEmail, visibleToEveryone } from '../../callers/api-email.ts'

/** The columns that a user object is built from. */
export interface UserRow {
  id: number
  email: string
  full_name: string
  role: number
  is_active: boolean
  bot_type: number | null
  bot_owner_id: number | null
  is_system_bot: boolean
  date_joined: Date
  timezone: string
  avatar_source: string
  avatar_version: number
  /** The path of an uploaded image; null for a Gravatar. */
  avatar_path: string | null
  email_address_visibility: number
}

/** The viewer, whose role decides what they see, and the options of their client. */
export interface View {
  viewer: { id: number; role: number }
  realmHost: string
  clientGravatar: boolean
}

export function userObject(row: UserRow, view: View): UserObject {
  const isBot = row.bot_type !== null
  const shown = asSeenBy(row, view.viewer)
  return {
    user_id: row.id,
    delivery_email: deliveryEmail(row, view.viewer),
    email: apiEmail(row, view.realmHost),
    full_name: row.full_name,
    date_joined: minutePrecision(row.date_joined),
    is_active: row.is_active,
    is_owner: row.role === roles.owner,
    is_admin: row.role <= roles.admin,
    is_guest: row.role === roles.guest,
    is_bot: isBot,
    bot_type: row.bot_type,
    bot_owner_id: row.bot_owner_id,
    role: row.role as UserObject['role'],
    timezone: row.timezone,
    avatar_url: view.clientGravatar && hasPublicGravatar(shown) ? null : avatarUrl(shown, view.realmHost),
    avatar_version: row.avatar_version,
    ...(row.is_system_bot && { is_system_bot: true }),
  }
}

function minutePrecision(date: Date): string {
  return `${date.toISOString().slice(0, 16)}+00:00`
}

/** The highest role number that may see the email, by visibility setting. 4 hides it from everyone. */
const admitted: Record<number, number> = { 1: roles.guest, 2: roles.member, 3: roles.admin, 4: 0, 5: roles.moderator }

export function admittedRole(visibility: number): number {
  return admitted[visibility]!
}

export function deliveryEmail(
  row: Pick<UserRow, 'id' | 'email' | 'email_address_visibility' | 'bot_type'>,
  viewer: View['viewer'],
): string | null {
  const maySee = row.bot_type !== null || row.id === viewer.id || viewer.role <= admitted[row.email_address_visibility]!
  return maySee ? row.email : null
}

/** The row for the avatar URL: viewers who may see a hidden email see its Gravatar. */
export function asSeenBy(row: UserRow, viewer: View['viewer']): UserRow {
  return deliveryEmail(row, viewer) === null ? row : withPublicEmail(row)
}

export function withPublicEmail(row: UserRow): UserRow {
  return row.email_address_visibility === visibleToEveryone
    ? row
    : { ...row, email_address_visibility: visibleToEveryone }
}

/** Whether clients can compute the avatar URL themselves. */
export function hasPublicGravatar(row: Pick<UserRow, 'avatar_source' | 'email_address_visibility'>): boolean {
  return row.avatar_source === 'G' && row.email_address_visibility === visibleToEveryone
}

/** The avatar of hidden and nonexistent users, served by avatar-routes.ts. */
export const unknownAvatar = '/static/images/unknown-user.png'

type AvatarRow = Pick<
  UserRow,
  'id' | 'email' | 'avatar_version' | 'avatar_path' | 'email_address_visibility' | 'bot_type'
>

/** Clients derive the URL of the medium size from the small one, so the `-medium` suffix is part of the API. */
export function avatarUrl(row: AvatarRow, realmHost: string, size?: 'medium'): string {
  if (row.avatar_path !== null)
    return `/user_avatars/${row.avatar_path}${size ? '-medium' : ''}.png?version=${row.avatar_version}`
  const url = `https://secure.gravatar.com/avatar/${avatarHash(row, realmHost)}?d=identicon&version=${row.avatar_version}`
  return size ? `${url}&s=500` : url
}

/** Caches the hash per row: cached rows need it for every message their user sends. */
const avatarHashes = new WeakMap<AvatarRow, string>()

function avatarHash(row: AvatarRow, realmHost: string): string {
  const known = avatarHashes.get(row)
  if (known) return known
  // The hash of a hidden email would let viewers confirm guesses, so the fake email is hashed instead.
  const digest = hash('md5', apiEmail(row, realmHost).toLowerCase())
  avatarHashes.set(row, digest)
  return digest
}
