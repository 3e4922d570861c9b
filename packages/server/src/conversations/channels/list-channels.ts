import type { ChannelObject, getChannels } from '@parley/api/conversations/channels'
import type { ParamsOf } from '@parley/api/operation'
import { isGuest } from '@parley/api/permissions'
import { type RawBuilder, sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { readChannels, readDefaultChannelIds } from './queries.ts'
import { isReadableBy, isSubscribedBy, isVisibleTo } from './visibility/conditions.ts'

type Filters = ParamsOf<typeof getChannels>

/** The channels that match the filters and are visible to the caller. */
export async function listChannels(
  db: Db,
  caller: Caller,
  filters: Filters,
): Promise<(ChannelObject & { is_default?: boolean })[]> {
  const matchesFilter = sql`(${sql.join(filterConditions(caller, filters), sql` or `)})`
  const condition = filters.exclude_archived ? sql`not c.is_archived and ${matchesFilter}` : matchesFilter
  const channels = await readChannels(db, caller.realm, condition)
  if (!filters.include_default) return channels
  const defaults = new Set(await readDefaultChannelIds(db, caller.realm_id))
  return channels.map((channel) => ({ ...channel, is_default: defaults.has(channel.stream_id) }))
}

function filterConditions(caller: Caller, filters: Filters): RawBuilder<unknown>[] {
  const { bot_owner_id } = caller
  return [
    sql`false`,
    ...(filters.include_all ? [isVisibleTo(caller)] : []),
    ...(filters.include_public && !isGuest(caller) ? [sql`not c.invite_only`] : []),
    ...(filters.include_web_public ? [sql`c.is_web_public`] : []),
    ...(filters.include_subscribed ? [isSubscribedBy(caller.id)] : []),
    ...(filters.include_can_access_content ? [isReadableBy(caller)] : []),
    ...(filters.include_owner_subscribed && bot_owner_id !== null ? [isSubscribedBy(bot_owner_id)] : []),
  ]
}
