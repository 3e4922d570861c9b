import { many } from '../../platform/db/query.ts'
import { commandName } from '../../platform/installation.ts'
import { withDatabase } from '../open-context.ts'

/** Prints one tab-separated line for each organization. */
export async function listOrganizations(): Promise<void> {
  const rows = await withDatabase(
    (db) =>
      many<{ string_id: string; host: string | null; name: string; deactivated: boolean; users: number }>(db)`
      select r.string_id, r.host, r.name, r.deactivated, count(u.id) as users
        from realms r left join users u on u.realm_id = r.id and u.is_active and u.bot_type is null
       group by r.id order by r.id`,
  )
  if (rows.length === 0) console.log(`There is no organization yet: see "${commandName} realm create --help".`)
  for (const { string_id, host, name, deactivated, users } of rows)
    console.log(
      [string_id, name, host ?? 'any other host', `${users} users`, ...(deactivated ? ['deactivated'] : [])].join('\t'),
    )
}
