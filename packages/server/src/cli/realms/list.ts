import { many } from '../../platform/db/query.ts'
import { commandName } from '../../platform/installation.ts'
import { withDatabase } from '../open-context.ts'
import { type ListOptions, printRows } from '../print-table.ts'

/** Prints the organizations; those without a host answer on all hosts that no other has. */
export async function listOrganizations(options: ListOptions): Promise<void> {
  const rows = await withDatabase(
    (db) =>
      many<{ string_id: string; name: string; host: string | null; users: number; deactivated: boolean }>(db)`
      select r.string_id, r.name, r.host, count(u.id) as users, r.deactivated
        from realms r left join users u on u.realm_id = r.id and u.is_active and u.bot_type is null
       group by r.id order by r.id`,
  )
  printRows(rows, options, `There is no organization yet: see "${commandName} realm create --help".`)
}
