import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import { type Fields, fieldsOf, requiredText, textOf } from '../fields.ts'
import { jsonList } from '../json-rows.ts'
import { plainTitle } from '../plain-title.ts'
import type { Sink } from '../source.ts'
import { readMessage } from './slack-messages.ts'
import { ensurePerson, idsOf, readUser } from './slack-people.ts'
import type { SlackPlace, SlackReading } from './slack-reading.ts'
import { markupOf, withoutIds } from './texts-of-slack.ts'

/** Everything is read: exports do not say what people have seen. */
const everything = 253_000_000_000_000

/** Twice over the messages: the number of replies decides where the first message of a thread goes. */
export async function readExport(archive: Archive, sink: Sink): Promise<void> {
  const reading: SlackReading = {
    ...{ archive, sink, people: new Map(), bots: new Map(), places: [], threads: new Map(), pinned: new Set() },
    days: await daysIn(archive),
    paths: await uploadsIn(archive),
  }
  for (const name of ['users.json', 'org_users.json']) await readList(reading, name, (user) => readUser(user, reading))
  await readList(reading, 'channels.json', (channel) => readChannel(channel, false, reading))
  await readList(reading, 'groups.json', (channel) => readChannel(channel, true, reading))
  for (const name of ['dms.json', 'mpims.json']) await readList(reading, name, (direct) => readDirect(direct, reading))
  await eachMessage(reading, (message, place) => noteThread(message, place, reading))
  const used = new Set<string>()
  await eachMessage(reading, (message, place, where) => {
    if (place.members) used.add(place.key)
    readMessage(message, place, where, reading)
  })
  sink.count('conversations', used.size)
  for (const name of ['canvases.json', 'lists.json', 'integration_logs.json'])
    await readList(reading, name, () => sink.count(`${name}: entries that are not taken over`))
}

async function daysIn(archive: Archive): Promise<Map<string, string[]>> {
  const days = new Map<string, string[]>()
  for (const path of (await archive.names()).sort()) {
    const [, folder] = /^([^/]+)\/\d{4}-\d\d-\d\d\.json$/.exec(path) ?? []
    if (folder !== undefined) days.set(folder, [...(days.get(folder) ?? []), path])
  }
  return days
}

/** `__uploads/ID/NAME`. */
async function uploadsIn(archive: Archive): Promise<Map<string, string>> {
  const found = (await archive.names()).flatMap((path) => {
    const [, id] = /^(?:.*\/)?(?:__uploads|attachments|uploads)\/(F[A-Z0-9]+)[/-][^/]+$/.exec(path) ?? []
    return id === undefined ? [] : [[id, path] as const]
  })
  return new Map(found)
}

/** An entry that is not as it must be is listed, and the others are read. */
async function readList({ archive, sink }: SlackReading, name: string, read: (entry: Fields) => void): Promise<void> {
  const file = await archive.find(name)
  if (!file) return
  let number = 0
  for await (const entry of jsonList(file.stream(), name)) {
    number++
    try {
      read(fieldsOf(entry))
    } catch (error) {
      sink.problem({ kind: 'dropped', place: `${name}, entry ${number}`, error: (error as Error).message })
    }
  }
}

function readChannel(channel: Fields, isPrivate: boolean, reading: SlackReading): void {
  const { sink, places } = reading
  const key = requiredText(channel.id, 'the id')
  const name = requiredText(channel.name, 'the name')
  const isArchived = channel.is_archived === true
  const textIn = (value: unknown) => textOf(((value ?? {}) as Fields).value)
  sink.add('channel', {
    key,
    name,
    qualifiers: [key],
    description: [textIn(channel.purpose), textIn(channel.topic)]
      .filter((text) => text.trim() !== '')
      .map((text) => markupOf({ text }))
      .join(' | '),
    isPrivate,
    isArchived,
    isDefault: channel.is_general === true && !isPrivate && !isArchived,
  })
  sink.count('channels')
  places.push({ key, folder: name })
  for (const { id } of (Array.isArray(channel.pins) ? channel.pins : []) as Fields[])
    reading.pinned.add(`${key} ${textOf(id)}`)
  for (const user of new Set(idsOf(channel.members))) addMember(ensurePerson(user, reading), key, sink)
}

function readDirect(direct: Fields, reading: SlackReading): void {
  const members = [...new Set(idsOf(direct.members))].sort()
  if (members.length === 0) throw new Error('it has no members')
  for (const member of members) ensurePerson(member, reading)
  const key = `@${members.join(' ')}`
  reading.places.push({ key, members, folder: textOf(direct.name) || requiredText(direct.id, 'the id') })
  for (const member of members) addMember(member, key, reading.sink)
}

function addMember(user: string, place: string, sink: Sink): void {
  sink.add('membership', { user, place, lastRead: everything, isMuted: false, isPinned: false })
}

type Visit = (message: Fields, place: SlackPlace, where: string) => void

async function eachMessage({ archive, sink, places, days }: SlackReading, visit: Visit): Promise<void> {
  for (const place of places)
    for (const path of days.get(place.folder) ?? []) {
      let number = 0
      for await (const message of jsonList((await archive.find(path))!.stream(), path)) {
        visit(message, place, `${path}, message ${++number}`)
        await sink.settle()
      }
    }
}

/** Replies may be in another file than the first message, months later. */
function noteThread(message: Fields, { key }: SlackPlace, reading: SlackReading): void {
  const [ts, root] = [textOf(message.ts), textOf(message.thread_ts)]
  if (message.user_profile) ensurePerson(textOf(message.user), reading, message.user_profile)
  if (root === '' || message.hidden === true) return
  const thread = reading.threads.get(`${key} ${root}`) ?? { replies: 0, title: '' }
  reading.threads.set(`${key} ${root}`, thread)
  if (ts !== root) thread.replies++
  if (ts === root || thread.title === '')
    thread.title = plainTitle(withoutIds(markupOf(message), (id) => reading.people.get(id) ?? id))
}
