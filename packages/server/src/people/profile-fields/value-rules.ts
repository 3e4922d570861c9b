import { profileFieldTypes } from '@parley/api/kinds'
import { listLimits, textLimits } from '@parley/api/limits'
import { lookup } from '@parley/api/lookup'
import { externalAccounts } from '../../organization/realms/external-accounts.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { lengthOf } from '../../platform/text.ts'
import { isVisibleUser, type Viewer } from '../users/visibility/visible-users.ts'

/** The columns of a field that validation of its values needs. */
export interface FieldRules {
  id: number
  realm_id: number
  name: string
  field_type: number
  field_data: string
  editable_by_user: boolean
}

export type GivenValue = string | number[] | null

const { SHORT_TEXT, PARAGRAPH, DROPDOWN, DATE, URL: LINK, USER, EXTERNAL_ACCOUNT } = profileFieldTypes
const maxShort = 50
const maxLong = 500
const maxLink = textLimits.url
const maxUsers = listLimits.profileUsers

/** Values of these types are rendered as Markdown. */
export function isRendered({ field_type }: Pick<FieldRules, 'field_type'>): boolean {
  return field_type === SHORT_TEXT.id || field_type === PARAGRAPH.id
}

/** Validates a value and returns it in stored form. */
export async function checkValue(db: Db, actor: Viewer, field: FieldRules, value: string | number[]): Promise<string> {
  if (field.field_type === USER.id) return JSON.stringify(await checkUsers(db, actor, field, value))
  if (typeof value !== 'string') throw refused(field, 'must be text')
  switch (field.field_type) {
    case DROPDOWN.id:
      if (!Object.hasOwn(JSON.parse(field.field_data) as object, value))
        throw refused(field, 'is not one of the choices')
      return value
    case DATE.id:
      return checkDate(field, value)
    case LINK.id:
      return checkLink(field, value)
    default:
      return isWholeLink(field) ? checkLink(field, checkText(field, value, maxLong)) : checkText(field, value)
  }
}

/** Some sites identify an account by the whole URL of its page, which clients show as a link. */
function isWholeLink({ field_type, field_data }: FieldRules): boolean {
  if (field_type !== EXTERNAL_ACCOUNT.id) return false
  const { subtype } = JSON.parse(field_data) as { subtype: string }
  return lookup(externalAccounts, subtype)?.url_pattern.startsWith('%(username)s') ?? false
}

function checkText(
  field: FieldRules,
  value: string,
  max = field.field_type === PARAGRAPH.id ? maxLong : maxShort,
): string {
  if (lengthOf(value) > max) throw refused(field, `can have at most ${max} characters`)
  return value
}

function checkDate(field: FieldRules, value: string): string {
  const date = /^\d{4}-\d\d-\d\d$/.test(value) ? new Date(`${value}T00:00:00Z`) : undefined
  if (!date || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value)
    throw refused(field, 'is not a date')
  return value
}

function checkLink(field: FieldRules, value: string): string {
  checkText(field, value, maxLink)
  const isLink = URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
  if (!isLink || /\s/.test(value)) throw refused(field, 'is not a URL')
  return value
}

/** User ids, as a list or as the JSON text that the API returns. A hidden user fails exactly like a missing one. */
async function checkUsers(db: Db, actor: Viewer, field: FieldRules, value: string | number[]): Promise<number[]> {
  const ids = typeof value === 'string' ? parsedIds(field, value) : value
  if (ids.length > maxUsers) throw refused(field, `can have at most ${maxUsers} users`)
  const rows = await many<{ id: number }>(db)`
    select u.id from users u where u.realm_id = ${field.realm_id} and u.id = any(${ids}::bigint[]) and u.is_active
       and u.bot_type is null and ${isVisibleUser(actor)}`
  if (rows.length < new Set(ids).size) throw new ApiError('Invalid user ID')
  return ids
}

function parsedIds(field: FieldRules, text: string): number[] {
  try {
    const ids: unknown = JSON.parse(text)
    if (Array.isArray(ids) && ids.every((id) => Number.isSafeInteger(id))) return ids as number[]
  } catch {
    // Text that is not JSON is refused below.
  }
  throw refused(field, 'is not a list of user IDs')
}

function refused({ name }: FieldRules, why: string): ApiError {
  return new ApiError(`${name} ${why}.`)
}
