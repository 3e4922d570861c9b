import type { UserStatus } from '@parley/api/people/status'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import { many } from '../../../platform/db/query.ts'

interface StatusRow {
  id: number
  is_shown: boolean
  status_text: string | null
  emoji_name: string | null
  emoji_code: string | null
  reaction_type: string | null
  scheduled_end_time: number | null
}

/** The statuses of users who have one. `which` is a SQL condition on the user `u`. */
export async function readStatusesOf(
  db: Db,
  realmId: number,
  which: RawBuilder<unknown>,
): Promise<[number, UserStatus][]> {
  const rows = await many<StatusRow>(db)`
    select u.id, coalesce((u.settings ->> 'presence_enabled')::boolean, true) as is_shown,
           s.status_text, s.emoji_name, s.emoji_code, s.reaction_type, s.scheduled_end_time
      from users u left join user_statuses s on s.realm_id = u.realm_id and s.user_id = u.id
     where u.realm_id = ${realmId} and ${which}
       and (s.user_id is not null or u.settings ->> 'presence_enabled' = 'false')
     order by u.id`
  return rows.map((row) => [row.id, statusOf(row)])
}

/** Only the fields that are set. Users who hide their presence count as away. */
function statusOf({ is_shown, status_text, emoji_name, emoji_code, reaction_type, ...row }: StatusRow): UserStatus {
  return {
    ...(!is_shown && { away: true }),
    ...(status_text && { status_text }),
    ...(emoji_name && { emoji_name, emoji_code: emoji_code!, reaction_type: reaction_type! }),
    ...(row.scheduled_end_time !== null && { scheduled_end_time: row.scheduled_end_time }),
  }
}
