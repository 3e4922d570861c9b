import { roles } from '@parley/api/common'
import { sharedLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** What every user of an organization loads with `POST /register`. */
const tables = {
  user_groups: { items: 'user groups', creator: 'creator_id', ...sharedLimits.userGroups },
  channels: { items: 'channels', creator: 'creator_id', ...sharedLimits.channels },
  realm_emoji: { items: 'custom emoji', creator: 'author_id', ...sharedLimits.customEmoji },
  linkifiers: { items: 'linkifiers', ...sharedLimits.linkifiers },
  playgrounds: { items: 'code playgrounds', ...sharedLimits.playgrounds },
  realm_domains: { items: 'email domains', ...sharedLimits.domains },
  profile_fields: { items: 'profile fields', ...sharedLimits.profileFields },
  channel_folders: { items: 'channel folders', ...sharedLimits.channelFolders },
  default_channels: { items: 'default channels', ...sharedLimits.defaultChannels },
} as const

/**
 * Throws if an organization now has too much of something, or one user created too much of it. Call it after the
 * insert, in transactions that wait for each other.
 */
export async function checkSharedLimit(tx: Tx, table: keyof typeof tables, creatorId?: number | null): Promise<void> {
  const { items, total, ...limits } = tables[table]
  const isCounted = table === 'user_groups' ? sql`name is not null` : sql`true` // others are values of permissions
  const isOwn = 'creator' in limits ? sql`${sql.ref(limits.creator)} = ${creatorId ?? null}` : sql`false`
  const found = await one<{ all: number; own: number; role: number | null }>(tx.db)`
    select count(*) as all, count(*) filter (where ${isOwn}) as own,
           (select role from users where realm_id = ${tx.realmId} and id = ${creatorId ?? null}) as role
      from ${sql.table(table)} where realm_id = ${tx.realmId} and ${isCounted}`
  if (found.all > total)
    throw new ApiError(`An organization can have at most ${total} ${items}. Delete some that nobody needs.`)
  if (!('creator' in limits) || found.role === null) return
  const most = found.role <= roles.admin ? limits.perAdministrator : limits.perMember
  if (found.own > most) throw new ApiError(`A user can create at most ${most} ${items}. Ask an administrator for help.`)
}
