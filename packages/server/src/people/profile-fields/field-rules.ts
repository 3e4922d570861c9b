import { profileFieldTypes } from '@parley/api/kinds'
import { nameLimits } from '@parley/api/limits'
import { lookup } from '@parley/api/lookup'
import type { ParamsOf } from '@parley/api/operation'
import type { createProfileField } from '@parley/api/people/profile-fields'
import { externalAccounts } from '../../organization/realms/external-accounts.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { lengthOf } from '../../platform/text.ts'

export type FieldData = NonNullable<ParamsOf<typeof createProfileField>['field_data']>

const { DROPDOWN, EXTERNAL_ACCOUNT, PARAGRAPH, USER } = profileFieldTypes
const { profileField: maxNameLength, profileFieldHint: maxHintLength } = nameLimits

export function checkFieldName(name: string): string {
  const text = name.trim()
  if (text === '') throw new ApiError('Label cannot be blank.')
  if (lengthOf(text) > maxNameLength) throw new ApiError(`name is too long (limit: ${maxNameLength} characters)`)
  return text
}

export function checkHint(hint: string): string {
  if (lengthOf(hint) > maxHintLength) throw new ApiError(`hint is too long (limit: ${maxHintLength} characters)`)
  return hint
}

/** Validates the data that a field of this type needs, and returns it in stored form. */
export function checkFieldData(type: number, data: FieldData | undefined): string {
  if (type === DROPDOWN.id) return JSON.stringify(checkChoices(data))
  if (type === EXTERNAL_ACCOUNT.id) return JSON.stringify(checkAccount(data))
  return ''
}

function checkChoices(data: FieldData = {}): FieldData {
  const choices = Object.entries(data)
  if (choices.length === 0) throw new ApiError('Field must have at least one choice.')
  const texts = choices.map(([key, choice]) => {
    if (key.trim() === '' || typeof choice === 'string' || choice.text.trim() === '')
      throw new ApiError('field_data is not a list of choices')
    return choice.text
  })
  if (new Set(texts).size < texts.length) throw new ApiError('Field must not have duplicate choices.')
  return data
}

function checkAccount(data: FieldData = {}): FieldData {
  const { subtype, url_pattern, ...others } = data
  if (typeof subtype !== 'string' || Object.keys(others).length > 0) throw new ApiError('Invalid external account type')
  if (subtype !== 'custom') {
    if (!Object.hasOwn(externalAccounts, subtype) || url_pattern !== undefined)
      throw new ApiError('Invalid external account type')
    return { subtype }
  }
  if (typeof url_pattern !== 'string') throw new ApiError('Custom external account must define URL pattern')
  if (url_pattern.split('%(username)s').length !== 2)
    throw new ApiError('URL pattern must contain %(username)s exactly once.')
  const example = url_pattern.replace('%(username)s', 'username')
  if (!/^https?:\/\//.test(example) || !URL.canParse(example)) throw new ApiError('url_pattern is not a URL')
  return { subtype, url_pattern }
}

/** The name and hint of the well-known site that a field is for, if any. */
export function presetOf(type: number, fieldData: string): { name: string; hint: string } | undefined {
  if (type !== EXTERNAL_ACCOUNT.id) return undefined
  const { subtype } = JSON.parse(fieldData) as { subtype: string }
  return subtype === 'custom' ? undefined : lookup(externalAccounts, subtype)
}

export function checkSummary(type: number): void {
  if (type === USER.id || type === PARAGRAPH.id)
    throw new ApiError('Field type not supported for display in profile summary.')
}
