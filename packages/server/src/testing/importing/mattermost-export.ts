import { type ZipEntry, zipOf } from './make-zip.ts'

type Fields = Record<string, unknown>

const version = { type: 'version', version: 1 }

export const day = 24 * 60 * 60 * 1000
/** 1 October 2026, 12:00. */
export const start = Date.UTC(2026, 9, 1, 12)

export function team(name: string, display_name: string) {
  return { type: 'team', team: { name, display_name, type: 'O' } }
}

export function channel(name: string, display_name: string, more: Fields = {}) {
  return { type: 'channel', channel: { team: 'dock', name, display_name, type: 'O', header: '', purpose: '', ...more } }
}

/** A user, and what they have in each channel of the team "dock". */
export function user(username: string, channels: Record<string, Fields> = {}, more: Fields = {}) {
  const memberships = Object.entries(channels).map(([name, one]) => ({ name, roles: 'channel_user', ...one }))
  return {
    type: 'user',
    user: {
      username,
      email: `${username}@dock.example`,
      nickname: '',
      first_name: username[0]!.toUpperCase() + username.slice(1),
      last_name: 'Dock',
      roles: 'system_user',
      delete_at: 0,
      teams: [{ name: 'dock', roles: 'team_user', channels: memberships }],
      ...more,
    },
  }
}

export function bot(username: string, owner: string) {
  return { type: 'bot', bot: { username, owner, display_name: username, delete_at: 0 } }
}

const plain = { type: '', props: {}, edit_at: 0, flagged_by: [], is_pinned: false }

/** `minute`: minutes after the start. */
export function reply(by: string, message: string, minute: number, more: Fields = {}) {
  return { ...plain, user: by, message, create_at: start + minute * 60_000, ...more }
}

export function post(place: string, by: string, message: string, minute: number, more: Fields = {}) {
  const fields = { reactions: [], replies: null, ...reply(by, message, minute, more) }
  return { type: 'post', post: { team: 'dock', channel: place, ...fields } }
}

export function directPost(members: string[], by: string, message: string, minute: number, more: Fields = {}) {
  const fields = { reactions: null, replies: null, ...reply(by, message, minute, more) }
  return { type: 'direct_post', direct_post: { channel_members: members, ...fields } }
}

export function directChannel(members: Record<string, Fields>) {
  const participants = Object.entries(members).map(([username, one]) => ({ username, ...one }))
  return { type: 'direct_channel', direct_channel: { participants, header: '' } }
}

export function linesOf(lines: (Fields | string)[]): string {
  return [version, ...lines].map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
}

export function exportOf(lines: (Fields | string)[], files: ZipEntry[] = []): Buffer {
  return zipOf([{ name: 'import.jsonl', content: linesOf(lines) }, ...files])
}
