import type { UserStatus } from '@parley/api/status'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import type { Caller } from '../users/caller.ts'
import { inSightOf } from '../users/sight.ts'

interface StatusRow {
  id: number
  is_shown: boolean
  status_text: string | null
  emoji_name: string | null
  emoji_code: string | null
  reaction_type: string | null
}

/** The statuses of those active people who have one and whom the caller may know of. */
export async function readStatuses(db: Db, caller: Caller): Promise<[number, UserStatus][]> {
  const rows = await readRows(db, caller, sql`u.is_active`)
  return rows.map((row): [number, UserStatus] => [row.id, statusOf(row)])
}

export async function readStatus(db: Db, caller: Caller, userId: number): Promise<UserStatus> {
  const [row] = await readRows(db, caller, sql`u.id = ${userId}`)
  return row ? statusOf(row) : {}
}

async function readRows(db: Db, caller: Caller, condition: RawBuilder<unknown>): Promise<StatusRow[]> {
  const { rows } = await sql<StatusRow>`
    select u.id, coalesce((u.settings ->> 'presence_enabled')::boolean, true) as is_shown,
           s.status_text, s.emoji_name, s.emoji_code, s.reaction_type
      from users u left join user_statuses s on s.realm_id = u.realm_id and s.user_id = u.id
     where u.realm_id = ${caller.realm_id} and ${condition} and ${inSightOf(caller)}
       and (s.user_id is not null or u.settings ->> 'presence_enabled' = 'false')
     order by u.id`.execute(db)
  return rows
}

/** Only what is set. Not showing that one is here counts as being away. */
function statusOf({ is_shown, status_text, emoji_name, emoji_code, reaction_type }: StatusRow): UserStatus {
  return {
    ...(!is_shown && { away: true }),
    ...(status_text && { status_text }),
    ...(emoji_name && { emoji_name, emoji_code: emoji_code!, reaction_type: reaction_type! }),
  }
}
