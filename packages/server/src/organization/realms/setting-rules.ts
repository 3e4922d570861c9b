import { languageNames } from '@parley/api/languages'
import { nameLimits } from '@parley/api/limits'
import { lookup } from '@parley/api/lookup'
import { bigBlueButton } from '@parley/api/settings'
import { ApiError } from '../../platform/http/api-error.ts'
import { lengthOf } from '../../platform/text.ts'

const { organization: maxNameLength, organizationDescription: maxDescriptionLength } = nameLimits

export function checkRealmName(name: string): string {
  const text = name.trim()
  if (text === '') throw new ApiError('An organization needs a name.')
  if (lengthOf(text) > maxNameLength) throw new ApiError(`Organization name is too long (limit: ${maxNameLength}).`)
  return text
}

export function checkRealmDescription(description: string): string {
  if (lengthOf(description) > maxDescriptionLength)
    throw new ApiError(`Organization description is too long (limit: ${maxDescriptionLength}).`)
  return description
}

type Rule = (name: string, value: unknown) => unknown

/** The stored form of a setting's value. Words such as "unlimited" become numbers or null. */
export function storedValue(name: string, value: unknown): unknown {
  const rule = lookup(rules, name)
  return rule ? rule(name, value) : value
}

const limit: Rule = (name, value) => numberOrWord(name, value, 'unlimited', null)

const rules: Record<string, Rule> = {
  message_content_edit_limit_seconds: limit,
  message_content_delete_limit_seconds: limit,
  move_messages_within_stream_limit_seconds: limit,
  move_messages_between_streams_limit_seconds: limit,
  message_retention_days: (name, value) => numberOrWord(name, value, 'unlimited', -1),
  jitsi_server_url: (_name, value) => meetingServer(value as string),
  default_language: (_name, value) => language(value as string),
}

const maxSeconds = 2 ** 31 - 1

function numberOrWord(name: string, value: unknown, word: string, meaning: number | null): number | null {
  if (value === word) return meaning
  if (typeof value === 'number' && value > 0 && value <= maxSeconds) return value
  throw new ApiError(`Bad value for '${name}': ${String(value)}`, 'REQUEST_VARIABLE_INVALID', {
    fields: { var_name: name, bad_value: value },
  })
}

function meetingServer(url: string): string | null {
  if (url === 'default') return null
  const isWebUrl = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
  if (!isWebUrl || url.length > 200) throw new ApiError('jitsi_server_url is not an allowed_type')
  return url
}

function language(code: string): string {
  if (!Object.hasOwn(languageNames, code)) throw new ApiError(`Invalid language '${code}'`)
  return code
}

/** The enabled authentication methods, by the names that settings use. */
export function authenticationMethods(isDemo: boolean): string[] {
  return isDemo ? ['Email', 'Dev'] : ['Email']
}

/** Users sign in by email and password, so this method cannot be disabled. */
export function checkAuthenticationMethods(methods: Record<string, boolean>, isDemo: boolean): void {
  const valid = authenticationMethods(isDemo)
  const unknown = Object.keys(methods).find((name) => !valid.includes(name))
  if (unknown !== undefined)
    throw new ApiError(`Invalid authentication method: ${unknown}. Valid methods are: ${valid.join(', ')}`)
  if (!methods.Email) throw new ApiError('At least one authentication method must be enabled.')
}

export function checkVideoProvider(provider: unknown, hasBigBlueButton: boolean): void {
  if (provider === bigBlueButton && !hasBigBlueButton) throw new ApiError('BigBlueButton is not configured.')
}
