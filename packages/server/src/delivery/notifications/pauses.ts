import { quietUntil } from '@parley/client/messages/quiet-hours'
import { type Caller, defaultUserSettings } from '../../callers/caller.ts'
import { isVisibleUser } from '../../people/users/visibility/visible-users.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'

/** The users among these who let others see that their notifications are paused, and until when. */
export async function readPauses(
  db: Db,
  viewer: Caller,
  userIds: number[],
): Promise<{ user_id: number; until: number }[]> {
  const rows = await many<{ id: number; timezone: string; settings: object }>(db)`
    select u.id, u.timezone, u.settings from users u
     where u.realm_id = ${viewer.realm_id} and u.id = any(${userIds}::bigint[]) and u.is_active and ${isVisibleUser(viewer)}
     order by u.id`
  return rows.flatMap(({ id, timezone, settings: own }) => {
    const settings = { ...defaultUserSettings, ...own }
    const until = settings.show_notification_pauses ? quietUntil({ ...settings, timezone }) : undefined
    return until === undefined ? [] : [{ user_id: id, until: Math.floor(until) }]
  })
}
