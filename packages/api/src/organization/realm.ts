import { type TSchema, Type } from 'typebox'
import { keyword, record, shortText, text } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { lookup } from '../lookup.ts'
import { jsonOrText, operation } from '../operation.ts'
import { realmGroupSettings } from '../permission-settings.ts'
import { realmSettings } from '../settings.ts'
import { settingChange } from './groups.ts'

/** Settings that also accept a keyword, such as `unlimited`. */
const worded = Type.Union([Type.Integer(), keyword])

const special: Record<string, TSchema> = {
  message_content_edit_limit_seconds: jsonOrText(worded),
  message_content_delete_limit_seconds: jsonOrText(worded),
  move_messages_within_stream_limit_seconds: jsonOrText(worded),
  move_messages_between_streams_limit_seconds: jsonOrText(worded),
  message_retention_days: jsonOrText(worded),
  jitsi_server_url: jsonOrText(shortText),
}

const plain = Object.entries(realmSettings).map(([name, { schema }]) => [
  name,
  Type.Optional(lookup(special, name) ?? (schema as TSchema)),
])
const permissions = Object.keys(realmGroupSettings).map((name) => [name, Type.Optional(settingChange)])

const params: Record<string, TSchema> = {
  name: Type.Optional(shortText),
  description: Type.Optional(text(textLimits.description)),
  authentication_methods: Type.Optional(
    record(Type.Boolean(), { keys: textLimits.keyword, maxProperties: listLimits.configEntries }),
  ),
  ...Object.fromEntries(plain),
  ...Object.fromEntries(permissions),
}

export const updateRealm = operation({
  name: 'updateRealm',
  method: 'PATCH',
  path: '/realm',
  access: 'admin',
  tag: 'Organization',
  summary: 'Update the settings of the organization. The response lists those that changed.',
  params,
  response: Object.fromEntries(Object.keys(params).map((name) => [name, Type.Optional(Type.Unknown())])) as Record<
    string,
    TSchema
  >,
  errors: ['EXPECTATION_MISMATCH', 'SYSTEM_GROUP_REQUIRED', 'REQUEST_VARIABLE_INVALID'],
})
