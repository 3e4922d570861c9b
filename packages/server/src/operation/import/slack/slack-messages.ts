import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { ImportedMessage } from '../records/records.ts'
import { ensureBot, ensurePerson, idsOf } from './slack-people.ts'
import type { SlackPlace, SlackReading } from './slack-reading.ts'
import { markupOf } from './texts-of-slack.ts'

/** What happened, not what people said. */
const notices = new Set(
  `channel_join channel_leave channel_topic channel_purpose channel_name channel_archive channel_unarchive channel_convert_to_private
channel_posting_permissions group_join group_leave group_topic group_purpose group_name group_archive group_unarchive pinned_item
unpinned_item bot_add bot_remove bot_enable bot_disable app_conversation_join app_conversation_leave reminder_add reminder_delete
channel_canvas_updated sh_room_created joiner_notification joiner_notification_for_inviter ekm_access_denied`.split(
    /\s+/,
  ),
)

export function readMessage(message: Fields, place: SlackPlace, where: string, reading: SlackReading): void {
  const { sink } = reading
  sink.count('messages')
  const subtype = textOf(message.subtype)
  const dropped = notices.has(subtype) ? 'system posts' : isDeleted(message) ? 'deleted messages' : undefined
  if (dropped !== undefined) sink.count(dropped)
  else keep(message, place, where, reading)
}

function isDeleted({ subtype, hidden }: Fields): boolean {
  return subtype === 'tombstone' || hidden === true
}

function keep(message: Fields, place: SlackPlace, where: string, reading: SlackReading): void {
  const { sink } = reading
  try {
    const record = recordOf(message, place, where, reading)
    if (record) sink.add('message', record)
    else sink.count('empty posts')
  } catch (error) {
    sink.problem({ kind: 'dropped', place: where, error: (error as Error).message })
  }
}

function recordOf(
  message: Fields,
  place: SlackPlace,
  where: string,
  reading: SlackReading,
): ImportedMessage | undefined {
  const at = timeOf(message.ts, 'the time')
  const files = filesOf(message, where, reading)
  const text = [contentOf(message), ...files.lost].filter((part) => part.trim() !== '').join('\n\n')
  if (text === '' && files.found.length === 0) return undefined
  const edited = textOf(((message.edited ?? {}) as Fields).ts)
  return {
    place: place.key,
    ...(place.members && { members: place.members }),
    sender: senderOf(message, reading),
    at,
    text,
    ...threadOf(message, place, at, reading),
    ...(edited !== '' && { editedAt: timeOf(edited, 'the time of the edit') }),
    reactions: reactionsOf(message, at, where, reading),
    files: files.found,
    starredBy: [],
    followers: [],
    isPinned: reading.pinned.has(`${place.key} ${textOf(message.ts)}`) || listOf(message.pinned_to).length > 0,
  }
}

function timeOf(value: unknown, what: string): number {
  const [, seconds, micros = '0'] = /^(\d{1,11})(?:\.(\d{1,6}))?$/.exec(textOf(value)) ?? []
  if (seconds === undefined) throw new Error(`${what} "${textOf(value)}" is no time`)
  return Number(seconds) * 1000 + Number(micros.padEnd(6, '0')) / 1000
}

/** Of a comment on a file, the comment. */
function contentOf(message: Fields): string {
  const subtype = textOf(message.subtype)
  if (subtype === 'huddle_thread') return 'A huddle took place.'
  const comment = ((message.comment ?? {}) as Fields).comment
  const text = subtype === 'file_comment' ? markupOf({ text: comment }) : markupOf(message)
  return subtype === 'me_message' ? `/me ${text}` : text
}

function senderOf(message: Fields, reading: SlackReading): string {
  const user = textOf(message.user) || textOf(((message.comment ?? {}) as Fields).user)
  if (user !== '' && message.subtype !== 'bot_message') return ensurePerson(user, reading, message.user_profile)
  if (textOf(message.bot_id) !== '' || textOf(message.username) !== '') return ensureBot(message, reading)
  if (user !== '') return ensurePerson(user, reading)
  throw new Error('it has no sender')
}

function threadOf(
  { ts, thread_ts }: Fields,
  { key }: SlackPlace,
  at: number,
  { threads }: SlackReading,
): Pick<ImportedMessage, 'thread'> {
  const root = textOf(thread_ts)
  const thread = root === '' ? undefined : threads.get(`${key} ${root}`)
  if (!thread || thread.replies === 0) return {}
  const isRoot = root === textOf(ts)
  return {
    thread: {
      key: root,
      replies: thread.replies,
      at: isRoot ? at : timeOf(root, 'the time of the thread'),
      title: thread.title,
      isRoot,
    },
  }
}

function reactionsOf(message: Fields, at: number, where: string, reading: SlackReading): ImportedMessage['reactions'] {
  return listOf(message.reactions).flatMap((value) => {
    const { name, users, count } = fieldsOf(value)
    const known = idsOf(users)
    if (typeof count === 'number' && count > known.length)
      reading.sink.problem({
        kind: 'missing',
        place: where,
        error: `${count - known.length} reactions ${textOf(name)} have no user`,
      })
    return known.map((user) => ({
      user: ensurePerson(user, reading),
      emoji: textOf(name).replace(/::skin-tone-\d$/, ''),
      at,
    }))
  })
}

const lostModes: Record<string, string> = {
  tombstone: 'was deleted in Slack',
  hidden_by_limit: 'was hidden by the limit of the plan in Slack',
  access_denied: 'was not accessible to the exporter',
}

interface Files {
  found: ImportedMessage['files']
  /** A line for each file that Slack no longer has. */
  lost: string[]
}

/** In the archive, as several export tools store them, or at their URL. */
function filesOf(message: Fields, where: string, reading: SlackReading): Files {
  const files: Files = { found: [], lost: [] }
  const list = [...listOf(message.files), ...(message.file ? [message.file] : [])].map(fieldsOf)
  for (const file of list) {
    reading.sink.count('files')
    const name = textOf(file.name) || textOf(file.title) || textOf(file.id) || 'file'
    const reason = new Map(Object.entries(lostModes)).get(textOf(file.mode) || textOf(file.file_access))
    if (reason !== undefined) {
      files.lost.push(`(${name}: this file ${reason})`)
      reading.sink.problem({ kind: 'missing', place: where, error: `the file ${name} ${reason}` })
    } else {
      const owner = textOf(file.user)
      files.found.push({ path: pathOf(file, name, reading), name, ...(owner !== '' && { owner }) })
    }
  }
  return files
}

function pathOf(file: Fields, name: string, { paths }: SlackReading): string {
  const id = textOf(file.id)
  return paths.get(id) ?? (textOf(file.url_private_download) || textOf(file.url_private) || `__uploads/${id}/${name}`)
}
