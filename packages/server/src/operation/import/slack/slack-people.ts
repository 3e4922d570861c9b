import { type Fields, listOf, requiredText, textOf } from '../fields.ts'
import type { ImportedUser } from '../records/records.ts'
import type { SlackReading } from './slack-reading.ts'

export function readUser(user: Fields, { sink, people, bots }: SlackReading): void {
  const key = requiredText(user.id, 'the id')
  const profile = (user.profile ?? {}) as Fields
  const names = [profile.real_name, user.real_name, profile.display_name, user.name].map(textOf)
  const isBot = user.is_bot === true || key === 'USLACKBOT'
  const known = [...new Set(names)].filter((name) => name.trim() !== '')
  sink.add('user', {
    key,
    names: known.length > 0 ? known : [key],
    role: roleOf(user),
    isActive: user.deleted !== true,
    ...(textOf(profile.email) !== '' && !isBot && { email: textOf(profile.email) }),
    ...(isBot && { bot: {} }),
    ...(textOf(profile.status_text) !== '' && { status: textOf(profile.status_text) }),
    ...(textOf(user.tz) !== '' && { timezone: textOf(user.tz) }),
  })
  sink.count(isBot ? 'bots' : 'people')
  people.set(key, known[0] ?? key)
  if (textOf(profile.bot_id) !== '') bots.set(textOf(profile.bot_id), key)
}

function roleOf(user: Fields): ImportedUser['role'] {
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest'
  if (user.is_owner === true || user.is_primary_owner === true) return 'owner'
  return user.is_admin === true ? 'admin' : 'member'
}

/** People of other workspaces are only named in their messages. They get a deactivated stand-in. */
export function ensurePerson(key: string, { sink, people }: SlackReading, profile?: unknown): string {
  if (people.has(key)) return key
  const { real_name, display_name, name, team } = (profile ?? {}) as Fields
  const shown = [real_name, display_name, name].map(textOf).find((one) => one.trim() !== '')
  const full = shown === undefined ? `Slack ${key}` : `${shown}${textOf(team) === '' ? '' : ` (${textOf(team)})`}`
  sink.add('user', { key, names: [full, `Slack ${key}`], role: 'member', isActive: false, isStandIn: true })
  sink.count('stand-ins for unknown people')
  people.set(key, full)
  return key
}

const longestName = 60

/** Apps that post without an account: one bot for each name. */
export function ensureBot(message: Fields, { sink, people, bots }: SlackReading): string {
  const id = textOf(message.bot_id)
  const account = bots.get(id)
  if (account !== undefined) return account
  const profile = (message.bot_profile ?? {}) as Fields
  const shown = [message.username, profile.name].map(textOf).find((one) => one.trim() !== '') ?? (id || 'Bot')
  const name = shown.trim().slice(0, longestName)
  const key = `bot ${name.toLowerCase()}`
  if (!people.has(key)) {
    sink.add('user', { key, names: [`${name} (app)`, 'App'], role: 'member', isActive: true, bot: {} })
    sink.count('bots for apps')
    people.set(key, name)
  }
  return key
}

export function idsOf(list: unknown): string[] {
  return listOf(list)
    .map(textOf)
    .filter((id) => id !== '')
}
