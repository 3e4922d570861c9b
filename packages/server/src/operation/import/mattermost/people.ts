import { type Fields, fieldsOf, listOf, requiredText, textOf, timeOf } from '../fields.ts'
import type { ImportedUser } from '../records/records.ts'
import { channelKey, type Reading } from './reading.ts'

export function readUser(user: Fields, reading: Reading): void {
  const key = usernameOf(user.username)
  const teams = listOf(user.teams).map(fieldsOf)
  const fullName = [textOf(user.first_name), textOf(user.last_name)].join(' ').trim()
  reading.sink.add('user', {
    key,
    names: [fullName, textOf(user.nickname), key].filter((name) => name !== ''),
    email: textOf(user.email),
    role: roleOf(textOf(user.roles), teams),
    isActive: !isDeleted(user),
    ...avatarOf(user, key, reading),
    ...statusOf(user.custom_status),
  })
  reading.sink.count('people')
  for (const team of teams) for (const channel of listOf(team.channels)) readMembership(key, team, channel, reading)
}

export function readBot(bot: Fields, reading: Reading): void {
  const key = usernameOf(bot.username)
  const owner = textOf(bot.owner)
  reading.bots.add(key)
  reading.sink.add('user', {
    key,
    names: [textOf(bot.display_name), key].filter((name) => name !== ''),
    role: 'member',
    isActive: !isDeleted(bot),
    bot: owner === '' ? {} : { owner },
    ...avatarOf(bot, key, reading),
  })
  reading.sink.count('bots')
}

export function usernameOf(value: unknown): string {
  return requiredText(value, 'the user').toLowerCase()
}

function isDeleted(account: Fields): boolean {
  return timeOf(account.delete_at) > 0
}

/** The first role that applies. A system administrator can do everything there, as an owner can here. */
function roleOf(roles: string, teams: Fields[]): ImportedUser['role'] {
  const has = (role: string, text: string) => text.split(' ').includes(role)
  if (has('system_admin', roles)) return 'owner'
  if (has('system_guest', roles)) return 'guest'
  return teams.some((team) => has('team_admin', textOf(team.roles))) ? 'moderator' : 'member'
}

/** The path of the picture has the id of the user. */
function avatarOf({ profile_image }: Fields, key: string, { userOfId }: Reading): { avatar?: string } {
  const path = textOf(profile_image)
  const [, id] = /^users\/(\w+)\//.exec(path) ?? []
  if (id !== undefined) userOfId.set(id, key)
  return path === '' ? {} : { avatar: `data/${path}` }
}

/** A status that ends at some time has probably ended. */
function statusOf(status: unknown): { status?: string } {
  if (typeof status !== 'object' || status === null) return {}
  const { text, expires_at } = status as Fields
  const isLasting = textOf(expires_at) === '' || textOf(expires_at).startsWith('0001-')
  return isLasting && textOf(text) !== '' ? { status: textOf(text) } : {}
}

function readMembership(user: string, team: Fields, value: unknown, { sink, line }: Reading): void {
  try {
    const channel = fieldsOf(value)
    const roles = textOf(channel.roles).split(' ')
    if (roles.includes('channel_admin')) sink.count('channel administrators')
    sink.add('membership', {
      user,
      place: channelKey(team.name, channel.name),
      ...readStateOf(channel),
      isPinned: channel.favorite === true,
    })
  } catch (error) {
    sink.problem({ kind: 'dropped', place: `line ${line}, a membership`, error: (error as Error).message })
  }
}

export function readDirectChannel(direct: Fields, { sink }: Reading): void {
  const participants = listOf(direct.participants).map(fieldsOf)
  const members = [...listOf(direct.members), ...participants.map(({ username }) => username)].map(usernameOf)
  sink.count('favourite direct conversations', listOf(direct.favorited_by).length)
  for (const one of participants)
    sink.add('membership', {
      user: usernameOf(one.username),
      place: directKey(members),
      ...readStateOf(one),
      isPinned: false,
    })
}

/** With oneself, the same name stands twice; the order is arbitrary. */
export function directKey(members: string[]): string {
  return `@${[...new Set(members)].sort().join(' ')}`
}

function readStateOf(member: Fields) {
  const props = (member.notify_props ?? {}) as Fields
  return {
    lastRead: timeOf(member.last_viewed_at),
    isMuted: props.mark_unread === 'mention',
    ...wantedOf('desktop', props.desktop),
    ...wantedOf('push', props.mobile),
  }
}

function wantedOf(name: 'desktop' | 'push', value: unknown): { [one in typeof name]?: boolean } {
  return value === 'all' || value === 'none' ? { [name]: value === 'all' } : {}
}
