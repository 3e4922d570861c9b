import { buffer } from 'node:stream/consumers'
import { type Archive, BadArchive } from '../../../platform/archives/foreign-archive.ts'
import { jsonRows } from '../json-rows.ts'
import type { OpenRows, RowSink, RowSource } from '../rows/row-source.ts'
import { clean, type Row, rowsIn } from '../rows/row-values.ts'
import { flagRows, masks } from './flags.ts'
import type { KnownExport } from './known-export.ts'
import { type CopiedMessage, messagesIn } from './message-files.ts'
import { Conversations } from './message-places.ts'
import { userRows } from './organization-rows.ts'
import { Periods } from './periods.ts'
import { ReadPositions } from './read-positions.ts'
import { sectionRows } from './section-rows.ts'
import { TopicRows } from './topic-rows.ts'
import { readTables, type Tables } from './zulip-tables.ts'

/** The tarball that `manage.py export` of Zulip writes, of versions 8 to 12, or the same folder. */
export const zulipRows: RowSource = {
  main: 'realm.json',
  open: openExport,
  lost: () => [
    'Zulip leaves passwords, API keys, drafts, invitations, email addresses of channels and unlinked uploads out of every export; version 12 also groups of default channels.',
  ],
}

async function openExport(archive: Archive, sink: RowSink): Promise<OpenRows> {
  const tables = await readTables(archive)
  const [realm] = tables.rows('realm')
  if (typeof realm?.id !== 'number') throw new BadArchive('realm.json has no organization: this is no export of Zulip.')
  const known = await readMessages(archive, tables, sink)
  countRows(known, sink)
  const images = await imagesIn(archive)
  const host = hostOf(tables)
  sink.organization(clean(realm.name))
  return {
    realmId: realm.id,
    mayKeepIds: false,
    isOurs: false,
    isOwnHost: (one) => one === host || one.startsWith(`${clean(realm.string_id)}.`),
    rows: (section) => fromList(sectionRows(known, section)),
    messages: () => messageRows(archive, known),
    upload: (pathId) => `uploads/${pathId}`,
    avatar: ({ id }) => images.avatars.get(id),
    emoji: ({ file_name }) => ({ path: `emoji/${realm.id as number}/emoji/images/${clean(file_name)}`, isOurs: false }),
    image: async (kind) => {
      const path = `realm_icons/${realm.id as number}/${kind}.original`
      return (await archive.find(path)) ? { path, isOurs: false } : undefined
    },
  }
}

async function* fromList(rows: Row[]): AsyncGenerator<Row> {
  yield* rows
}

/** Made-up emails name the host of the organization. */
function hostOf(tables: Tables): string | undefined {
  for (const { email } of userRows(tables)) {
    const [, host] = /^user\d+@(.+)$/.exec(clean(email)) ?? []
    if (host !== undefined) return host.toLowerCase()
  }
  return undefined
}

async function readMessages(archive: Archive, tables: Tables, sink: RowSink): Promise<KnownExport> {
  const conversations = new Conversations(tables)
  const topics = new TopicRows()
  const periods = new Periods(tables.memberships)
  const positions = new ReadPositions()
  const direct = new Map<string, number[]>()
  const moved: Moved[] = []
  let lastMessage = 0
  for await (const { row, id, copies } of messagesIn(archive)) {
    sink.message(id)
    sink.count('messages')
    lastMessage = Math.max(lastMessage, id)
    conversations.note(row.recipient, row.sender)
    const place = conversations.find(row.recipient, row.sender)
    if (!place) continue
    if (place.channel !== undefined && clean(row.edit_history).includes('"prev_stream"'))
      moved.push({ id, channel: place.channel, users: new Set(copies.map(([user]) => user)) })
    if (place.channel === undefined) direct.set(place.key, place.users!)
    else topics.note(place.channel, row.subject, id)
    for (const [user, mask] of copies.filter(([, bits]) => !(bits & masks.historical))) {
      positions.pass(user, place.key, id, (mask & masks.read) !== 0)
      if (place.channel !== undefined) periods.note(user, place.channel, id)
    }
  }
  sink.count('conversations', direct.size)
  for (const { stream, topic_name } of tables.rows('usertopic'))
    if (typeof stream === 'number') topics.note(stream, topic_name, undefined)
  completePeriods(tables, conversations, periods, lastMessage)
  const people = audience(tables, conversations)
  for (const one of moved) leaveOutMoved(one, people, periods)
  return {
    tables,
    conversations,
    topics,
    periods,
    positions,
    direct,
    lastMessage,
    ...(await readOthers(archive, tables)),
  }
}

/** A message that came from another channel, and who has a copy of it. */
interface Moved {
  id: number
  channel: number
  users: Set<number>
}

/** Active people by channel. People who were away for long have copies only once they come back, and bots have none. */
function audience(tables: Tables, conversations: Conversations): Map<number, number[]> {
  const isPresent = ({ is_active, long_term_idle, bot_type }: Row) =>
    is_active !== false && long_term_idle !== true && typeof bot_type !== 'number'
  const present = new Set(
    tables
      .rows('userprofile')
      .filter(isPresent)
      .map(({ id }) => id),
  )
  const found = new Map<number, number[]>()
  for (const { user_profile, recipient } of tables.rows('subscription')) {
    const channel = conversations.channelOf(recipient)
    if (channel === undefined || !present.has(user_profile)) continue
    found.set(channel, [...(found.get(channel) ?? []), user_profile as number])
  }
  return found
}

function leaveOutMoved({ id, channel, users }: Moved, people: Map<number, number[]>, periods: Periods): void {
  for (const user of people.get(channel) ?? []) if (!users.has(user)) periods.leaveOut(user, channel, id)
}

function completePeriods(tables: Tables, conversations: Conversations, periods: Periods, end: number): void {
  for (const { user_profile, recipient, active } of tables.rows('subscription')) {
    const channel = conversations.channelOf(recipient)
    if (channel !== undefined && typeof user_profile === 'number')
      periods.complete(user_profile, channel, active !== false, end)
  }
}

async function readOthers(archive: Archive, tables: Tables) {
  const attachments: Row[] = []
  const file = await archive.find('attachment.json')
  if (file)
    for await (const { table, row } of jsonRows(file.stream(), 'attachment.json'))
      if (table === 'zerver_attachment') attachments.push(row)
  return { attachments, clients: new Map(tables.rows('client').map(({ id, name }) => [id, clean(name)])) }
}

function countRows({ tables, attachments }: KnownExport, sink: RowSink): void {
  for (const { bot_type, is_system_bot } of userRows(tables))
    if (is_system_bot !== true) sink.count(typeof bot_type === 'number' ? 'bots' : 'people')
  sink.count('channels', tables.rows('stream').length)
  sink.count('files', attachments.length)
  sink.count('reactions', tables.reactions.count)
  for (const [table, count] of tables.unknown) sink.count(`rows of ${table} that are not taken over`, count)
}

async function* messageRows(archive: Archive, known: KnownExport): AsyncGenerator<Row> {
  for await (const message of messagesIn(archive)) yield messageRow(message, known)
}

function messageRow(message: CopiedMessage, known: KnownExport): Row {
  const { row, id, copies } = message
  const { tables, conversations, topics, clients } = known
  const place = conversations.find(row.recipient, row.sender)
  const topic = place?.channel === undefined ? undefined : topics.find(place.channel, row.subject)
  const isReadBySender = copies.some(([user, mask]) => user === row.sender && (mask & masks.read) !== 0)
  return {
    id,
    sender_id: row.sender,
    channel_id: place?.channel ?? null,
    topic_id: topic?.id,
    topic_spelling: topic && topic.name !== clean(row.subject) ? row.subject : null,
    recipients: place?.users,
    date_sent: row.date_sent,
    client: clients.get(row.sending_client),
    content: row.content,
    mentions_channel: copies.some(([, mask]) => mask & masks.channelWildcard),
    read_by_sender: isReadBySender,
    edit_history: editsOf(row),
    reactions: tables.reactions.of(id),
    submessages: (tables.submessages.get(id) ?? []).map((one) => ({ ...one, sender_id: one.sender })),
    flags: place ? flagRows(message, place, known) : [],
  }
}

/** A string of JSON, or null although there was an edit. */
function editsOf({ edit_history, last_edit_time, sender }: Row): Row[] {
  const edits = typeof edit_history === 'string' ? rowsIn(parsed(edit_history)) : []
  if (edits.length > 0) return edits.map(withResolving)
  return typeof last_edit_time === 'number'
    ? [{ user_id: sender, timestamp: Math.floor(last_edit_time), is_edit: true }]
    : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Resolving a topic is a rename there. */
function withResolving(edit: Row): Row {
  const { prev_subject, prev_topic = prev_subject, topic, prev_stream } = edit
  const plain = (name: unknown) => clean(name).replace(/^✔ /, '')
  const isResolving =
    typeof prev_topic === 'string' &&
    prev_stream === undefined &&
    prev_topic !== topic &&
    plain(prev_topic) === plain(topic)
  return { ...edit, ...(prev_topic !== undefined && { prev_topic }), ...(isResolving && { resolving: true }) }
}

/** Uploaded avatars; the original is the larger one. */
async function imagesIn(archive: Archive) {
  const avatars = new Map<unknown, { path: string; isOurs: false }>()
  const file = await archive.find('avatars/records.json')
  const records = file && file.size < 100_000_000 ? rowsIn(parsed(String(await buffer(file.stream())))) : []
  for (const { user_profile_id, path } of records)
    if (!avatars.has(user_profile_id) || clean(path).endsWith('.original'))
      avatars.set(user_profile_id, { path: `avatars/${clean(path)}`, isOurs: false })
  return { avatars }
}
