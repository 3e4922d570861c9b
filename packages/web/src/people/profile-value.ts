import { profileFieldTypes as types } from '@parley/api/kinds'
import { lookup } from '@parley/api/lookup'
import type { ProfileField } from '@parley/api/people/profile-fields'
import type { Slices } from '@parley/client/store/store'
import { namesOf } from './presence.ts'

export interface ProfileValue {
  text: string
  href?: string | undefined
}

/** What a profile field says about a person, as people read it. */
export function profileValue(store: Slices<'users'>, field: ProfileField, value: string): ProfileValue {
  if (value === '') return { text: '' }
  if (field.type === types.URL.id) return { text: value, href: webUrl(value) }
  if (field.type === types.USER.id) return { text: namesOf(store, JSON.parse(value)) }
  if (field.type !== types.DROPDOWN.id && field.type !== types.EXTERNAL_ACCOUNT.id) return { text: value }
  const data = JSON.parse(field.field_data || '{}')
  if (field.type === types.DROPDOWN.id) return { text: lookup<{ text: string }>(data, value)?.text ?? value }
  const pattern =
    data.url_pattern ?? lookup(store.settings.realm_default_external_accounts ?? {}, data.subtype)?.url_pattern
  return { text: value, href: webUrl((pattern ?? '').replace('%(username)s', () => value)) }
}

function webUrl(url: string): string | undefined {
  return /^https?:\/\//i.test(url) ? url : undefined
}
