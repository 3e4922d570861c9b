import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'
import type { Comparison } from './filter.ts'
import { conditionsOf, idIn, type Page } from './list.ts'
import type { Json } from './patch.ts'
import { isScimUser } from './user-queries.ts'

export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

export interface ScimGroup {
  id: number
  name: string
  external_id: string | null
  date_created: Date | null
  /** Undefined if they were not read. */
  members?: { id: number; name: string }[]
}

/** Groups that people have made. System groups follow from roles. */
const from = (realmId: number, conditions: RawBuilder<unknown>) => sql`
  from user_groups g left join provisioned_groups p on p.realm_id = g.realm_id and p.group_id = g.id
 where g.realm_id = ${realmId} and g.name is not null and not g.is_system_group and not g.deactivated and ${conditions}`

const columns = sql`g.id, g.name, p.external_id, g.date_created`

const members = sql`
  (select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'name', u.full_name) order by u.id), '[]')
     from group_members m join users u on u.realm_id = m.realm_id and u.id = m.user_id
     left join provisioned_users p on p.realm_id = u.realm_id and p.user_id = u.id
    where m.realm_id = g.realm_id and m.group_id = g.id and ${isScimUser}) as members`

export async function findScimGroup(db: Db, realmId: number, id: number): Promise<ScimGroup | undefined> {
  const [found] = await many<ScimGroup>(db)`select ${columns}, ${members} ${from(realmId, sql`g.id = ${id}`)}`
  return found
}

export async function listScimGroups(
  db: Db,
  realmId: number,
  filter: Comparison[],
  { offset, limit }: Page,
  withMembers: boolean,
) {
  const matching = from(realmId, conditionsOf(filter, attributes))
  const { total } = await one<{ total: number }>(db)`select count(*) as total ${matching}`
  const selected = withMembers ? sql`${columns}, ${members}` : columns
  const rows = await many<ScimGroup>(db)`select ${selected} ${matching} order by g.id offset ${offset} limit ${limit}`
  return { total, rows }
}

const hasMember = (value: unknown) => sql`exists (
  select 1 from group_members m where m.realm_id = g.realm_id and m.group_id = g.id and m.user_id = ${idIn(value)})`

const attributes: Record<string, (value: Comparison['value']) => RawBuilder<unknown>> = {
  id: (value) => sql`g.id = ${idIn(value)}`,
  displayname: (value) => sql`lower(g.name) = lower(${String(value)})`,
  externalid: (value) => sql`p.external_id = ${String(value)}`,
  members: hasMember,
  'members.value': hasMember,
}

export function groupResource({ id, name, external_id, date_created, members }: ScimGroup, base: string): Json {
  return {
    schemas: [groupSchema],
    id: String(id),
    ...(external_id !== null && { externalId: external_id }),
    displayName: name,
    ...(members && {
      members: members.map((one) => ({ value: String(one.id), display: one.name, $ref: `${base}/Users/${one.id}` })),
    }),
    meta: {
      resourceType: 'Group',
      location: `${base}/Groups/${id}`,
      ...(date_created && { created: date_created.toISOString() }),
    },
  }
}
