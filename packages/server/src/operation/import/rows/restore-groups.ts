import { nameLimits } from '@parley/api/limits'
import { lookup } from '@parley/api/lookup'
import { groupPermissionNames } from '@parley/api/organization/groups'
import { systemGroupNames, userGroupSettings } from '@parley/api/permission-settings'
import { checkGroupName } from '../../../organization/groups/group-names.ts'
import { inTransaction } from '../run.ts'
import { insertRows, type NewRow, type RowRun, restoreWithIds, rowsOf } from './restore-rows.ts'
import { idsIn, oneLine, type Row, short, timestampIn } from './row-values.ts'

/** Groups with their members and subgroups. System groups exist, with the members that follow from roles. */
export async function restoreGroups(run: RowRun): Promise<void> {
  const rows = await rowsOf(run, 'groups')
  for (const row of rows.filter(isSystemGroup))
    run.ids.set('group', row.id as number, lookup(run.realm.systemGroups, row.name as string)!)
  const names = new Set<string>()
  const own = rows.filter((row) => !isSystemGroup(row) && row.is_system_group !== true)
  const written = await restoreWithIds(run, 'group', 'groups', own, (row, id) => groupRecord(run, row, id, names))
  const members = written.flatMap(({ id, members }) =>
    run.ids.list('user', idsIn(members)).map((user_id) => ({ group_id: run.ids.need('group', id), user_id })),
  )
  const subgroups = written.flatMap((row) => subgroupsOf(run, row, new Set(own.map(({ id }) => id))))
  await inTransaction(run, async () => {
    await insertRows(run, 'group_members', members)
    await insertRows(run, 'group_subgroups', subgroups)
  })
}

const systemNames = new Set<unknown>(systemGroupNames)

export function isSystemGroup({ is_system_group, name }: Row): boolean {
  return is_system_group === true && systemNames.has(name)
}

/** The permissions of a group name groups that are restored with it. */
function groupRecord(run: RowRun, row: Row, _id: number, names: Set<string>): NewRow {
  const { ids, realm } = run
  const permissions = groupPermissionNames.map((name) => [
    name,
    ids.find('group', row[name]) ?? realm.systemGroups[userGroupSettings[name].default],
  ])
  return {
    name: row.name === null || row.name === undefined ? null : uniqueName(run, row, names),
    description: short(row.description, 1024),
    is_system_group: false,
    creator_id: ids.find('user', row.creator_id) ?? null,
    date_created: row.date_created === null ? null : timestampIn(row, 'date_created'),
    deactivated: row.deactivated === true,
    ...Object.fromEntries(permissions),
  }
}

function uniqueName({ plan }: RowRun, { id, name }: Row, names: Set<string>): string {
  const wanted = oneLine(name, nameLimits.userGroup)
  const base = isGroupName(wanted) ? wanted : `Group ${String(id)}`
  const chosen = names.has(base) ? `${oneLine(base, nameLimits.userGroup - 15)} ${String(id)}` : base
  names.add(chosen)
  if (chosen !== name)
    plan.problem({
      kind: 'changed',
      place: `group ${String(id)}`,
      error: `the name "${String(name)}" became "${chosen}"`,
    })
  return chosen
}

function isGroupName(name: string): boolean {
  try {
    checkGroupName(name)
    return true
  } catch {
    return false
  }
}

/** A group cannot contain itself, not even through others: nested groups are read recursively. */
function subgroupsOf({ ids, plan }: RowRun, row: Row, own: ReadonlySet<unknown>): NewRow[] {
  return idsIn(row.subgroups).flatMap((id) => {
    const subgroup_id = ids.find('group', id)
    if (subgroup_id === undefined || (id === row.id && own.has(id))) {
      plan.problem({
        kind: 'dropped',
        place: `group ${String(row.id)}`,
        error: `its subgroup ${id} is not in the file, or itself`,
      })
      return []
    }
    return [{ group_id: ids.need('group', row.id), subgroup_id }]
  })
}
