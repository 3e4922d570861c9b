import { isDeepStrictEqual } from 'node:util'
import { profileFieldTypes } from '@parley/api/kinds'
import type { ParamsOf } from '@parley/api/operation'
import type { createProfileField, updateProfileField } from '@parley/api/people/profile-fields'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { checkSharedLimit } from '../../organization/realms/snapshot-limits.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { checkFieldData, checkFieldName, checkHint, checkSummary, type FieldData, presetOf } from './field-rules.ts'
import { listProfileFields } from './queries.ts'
import { setProfileValues } from './values.ts'

type NewField = ParamsOf<typeof createProfileField>
type FieldChanges = ParamsOf<typeof updateProfileField>

const maxInSummary = 2

interface FieldRow {
  id: number
  name: string
  hint: string
  field_type: number
  field_data: string
  display_in_profile_summary: boolean
}

/** The caller must hold the lock of the organization (accessOrganization), which serializes changes of fields. */
export async function createField(tx: Tx, actor: Caller, params: NewField): Promise<number> {
  const field_data = checkFieldData(params.field_type, params.field_data)
  const preset = presetOf(params.field_type, field_data)
  const name = preset?.name ?? checkFieldName(params.name)
  const hint = preset?.hint ?? checkHint(params.hint)
  if (params.display_in_profile_summary) await checkRoomInSummary(tx, params.field_type)
  await checkFreeName(tx, name)
  const { id } = await one<{ id: number }>(tx.db)`
    insert into profile_fields (realm_id, name, hint, field_type, field_data, place, display_in_profile_summary,
                                required, editable_by_user)
    select ${tx.realmId}, ${name}, ${hint}, ${params.field_type}, ${field_data}, coalesce(max(place), 0) + 1,
           ${params.display_in_profile_summary}, ${params.required}, ${params.editable_by_user}
      from profile_fields where realm_id = ${tx.realmId}
    returning id`
  await checkSharedLimit(tx, 'profile_fields')
  await emitFields(tx)
  await tx.audit(actor.id, 'profile_field_created', { field_id: id, name })
  return id
}

async function checkRoomInSummary(tx: Tx, type: number): Promise<void> {
  checkSummary(type)
  const shown = matches({ realm_id: tx.realmId, display_in_profile_summary: true })
  const rows = await tx.db.selectFrom('profile_fields').select('id').where(shown).execute()
  if (rows.length >= maxInSummary)
    throw new ApiError(`Only ${maxInSummary} custom profile fields can be displayed in the profile summary.`)
}

async function checkFreeName(tx: Tx, name: string, except = 0): Promise<void> {
  const same = tx.db.selectFrom('profile_fields').where(matches({ realm_id: tx.realmId, name }))
  const found = await same.select('id').where('id', '!=', except).executeTakeFirst()
  if (found) throw new ApiError('A field with that label already exists.')
}

async function emitFields(tx: Tx): Promise<void> {
  const fields = await listProfileFields(tx.db, tx.realmId)
  tx.emit({ type: 'custom_profile_fields', fields }, { realm: 'everyone' })
}

export async function accessField(db: Db, realmId: number, id: number): Promise<FieldRow> {
  const row = await db
    .selectFrom('profile_fields')
    .select(['id', 'name', 'hint', 'field_type', 'field_data', 'display_in_profile_summary'])
    .where(matches({ realm_id: realmId, id }))
    .executeTakeFirst()
  if (!row) throw new ApiError(`Field id ${id} not found.`)
  return row
}

export async function updateField(tx: Tx, actor: Caller, field: FieldRow, params: FieldChanges): Promise<void> {
  const changed = await checkedChanges(tx, field, params)
  if (Object.keys(changed).length > 0)
    await tx.db
      .updateTable('profile_fields')
      .set(changed)
      .where(matches({ realm_id: tx.realmId, id: field.id }))
      .execute()
  if (field.field_type === profileFieldTypes.DROPDOWN.id && params.field_data)
    await clearRemovedChoices(tx, actor, field.id, params.field_data)
  await emitFields(tx)
  await tx.audit(actor.id, 'profile_field_updated', { field_id: field.id, ...changed })
}

async function checkedChanges(tx: Tx, field: FieldRow, { name, hint, field_data, ...flags }: FieldChanges) {
  checkPreset(field, { name, hint, field_data })
  const label = name === undefined ? undefined : checkFieldName(name)
  if (label !== undefined) await checkFreeName(tx, label, field.id)
  if (flags.display_in_profile_summary && !field.display_in_profile_summary)
    await checkRoomInSummary(tx, field.field_type)
  return {
    ...(label !== undefined && { name: label }),
    ...(hint !== undefined && { hint: checkHint(hint) }),
    ...(field_data !== undefined && { field_data: checkFieldData(field.field_type, field_data) }),
    ...flags,
  }
}

/** The name, hint and data of a field for a well-known site cannot change; sending the current values is allowed. */
function checkPreset(field: FieldRow, { name, hint, field_data }: FieldChanges): void {
  const preset = presetOf(field.field_type, field.field_data)
  const isSame = (value: unknown, current: unknown) => value === undefined || isDeepStrictEqual(value, current)
  if (
    !preset ||
    (isSame(name, field.name) && isSame(hint, field.hint) && isSame(field_data, JSON.parse(field.field_data)))
  )
    return
  throw new ApiError('Default custom field cannot be updated.')
}

/** Clears the values of users who had selected a removed choice. */
async function clearRemovedChoices(tx: Tx, actor: Caller, id: number, choices: FieldData): Promise<void> {
  const rows = await many<{ user_id: number }>(tx.db)`
    select user_id from profile_values where realm_id = ${tx.realmId} and field_id = ${id}
       and value <> all(${Object.keys(choices)}::text[])`
  for (const { user_id } of rows) await setProfileValues(tx, actor, user_id, [{ id, value: null }])
}

/** Deletes a field and all its values. */
export async function deleteField(tx: Tx, actor: Caller, { id, name }: FieldRow): Promise<void> {
  await tx.db.deleteFrom('profile_fields').where('realm_id', '=', tx.realmId).where('id', '=', id).execute()
  await emitFields(tx)
  await tx.audit(actor.id, 'profile_field_deleted', { field_id: id, name })
}

/** `order` must contain every field once. Fields that do not exist are ignored: they may just have been deleted. */
export async function reorderFields(tx: Tx, actor: Caller, wanted: number[]): Promise<void> {
  const ids = (await listProfileFields(tx.db, tx.realmId)).map(({ id }) => id)
  const order = wanted.filter((id) => ids.includes(id))
  const isComplete = order.length === ids.length && ids.every((id) => order.includes(id))
  if (!isComplete) throw new ApiError('Invalid order mapping.')
  await sql`
    update profile_fields f set place = o.place - 1
      from unnest(${order}::bigint[]) with ordinality as o(id, place)
     where f.realm_id = ${tx.realmId} and f.id = o.id`.execute(tx.db)
  await emitFields(tx)
  await tx.audit(actor.id, 'profile_fields_reordered', { order })
}
