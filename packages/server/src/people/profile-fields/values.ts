import { isAdmin } from '@parley/api/permissions'
import { render } from '@parley/markdown/render'
import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { type Viewer, visibilityAudience } from '../users/visibility/visible-users.ts'
import { checkValue, type FieldRules, type GivenValue, isRendered } from './value-rules.ts'

export interface ProfileValueParams {
  id: number
  value: GivenValue
}

/** Sets values in a user's profile; null or an empty value clears the field. Sets all values or none. */
export async function setProfileValues(
  tx: Tx,
  actor: Viewer,
  userId: number,
  values: ProfileValueParams[],
): Promise<void> {
  const fields = await accessFields(
    tx.db,
    actor,
    values.map(({ id }) => id),
  )
  for (const { id, value } of values) {
    const field = fields.get(id)!
    if (value === null || value.length === 0) await clearValue(tx, actor.realm, userId, field)
    else await storeValue(tx, actor.realm, userId, field, await checkValue(tx.db, actor, field, value))
  }
}

/** The fields by id. Throws unless the actor may set them; some are for administrators only. */
async function accessFields(db: Db, actor: Viewer, ids: number[]): Promise<Map<number, FieldRules>> {
  const rows = await db
    .selectFrom('profile_fields')
    .select(['id', 'realm_id', 'name', 'field_type', 'field_data', 'editable_by_user'])
    .where(matches({ realm_id: actor.realm.id, id: ids }))
    .execute()
  const fields = new Map(rows.map((field) => [field.id, field]))
  for (const id of ids) {
    const field = fields.get(id)
    if (!field) throw new ApiError(`Field id ${id} not found.`)
    if (!field.editable_by_user && !isAdmin(actor))
      throw new ApiError('You are not allowed to change this field. Contact an administrator to update it.')
  }
  return fields
}

async function storeValue(tx: Tx, realm: Realm, user_id: number, field: FieldRules, value: string): Promise<void> {
  const rendered_value = isRendered(field)
    ? render(value, { previews: false, linkifiers: realm.linkifiers }).html
    : null
  const { numAffectedRows } = await sql`
    insert into profile_values as v (realm_id, user_id, field_id, value, rendered_value)
    values (${realm.id}, ${user_id}, ${field.id}, ${value}, ${rendered_value})
    on conflict (realm_id, user_id, field_id)
       do update set value = excluded.value, rendered_value = excluded.rendered_value where v.value <> excluded.value`.execute(
    tx.db,
  )
  if (Number(numAffectedRows) === 0) return
  const fieldValue = { id: field.id, value, ...(rendered_value && { rendered_value }) }
  await emitValue(tx, realm, user_id, fieldValue)
}

async function clearValue(tx: Tx, realm: Realm, user_id: number, { id }: FieldRules): Promise<void> {
  const stored = matches({ realm_id: realm.id, user_id, field_id: id })
  const { numDeletedRows } = await tx.db.deleteFrom('profile_values').where(stored).executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) await emitValue(tx, realm, user_id, { id, value: null })
}

async function emitValue(
  tx: Tx,
  realm: Realm,
  user_id: number,
  custom_profile_field: { id: number; value: string | null; rendered_value?: string },
): Promise<void> {
  const audience = await visibilityAudience(tx.db, realm, { id: user_id, bot_type: null })
  tx.emit({ type: 'realm_user', op: 'update', person: { user_id, custom_profile_field } }, audience)
}
