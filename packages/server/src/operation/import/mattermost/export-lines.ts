import { lookup } from '@parley/api/lookup'
import { type Archive, BadArchive } from '../../../platform/archives/foreign-archive.ts'
import { type Line, linesOf, longestLine } from '../../../platform/archives/lines.ts'
import { type Fields, fieldsOf, requiredText, textOf } from '../fields.ts'
import type { Counts, Sink } from '../source.ts'
import { readBot, readDirectChannel, readUser } from './people.ts'
import { readDirectPost, readPost } from './posts.ts'
import { channelKey, locate, type Reading } from './reading.ts'

const readers: Record<string, (fields: Fields, reading: Reading) => void | Promise<void>> = {
  team: readTeam,
  channel: readChannel,
  user: readUser,
  bot: readBot,
  post: readPost,
  emoji: readEmoji,
  direct_channel: readDirectChannel,
  direct_post: readDirectPost,
}

export async function readExport(archive: Archive, sink: Sink): Promise<void> {
  const file = (await archive.find('import.jsonl'))!
  const reading = newReading(archive, sink)
  for await (const line of linesOf(file.stream())) {
    if (line.number === 1) checkVersion(line)
    else await readLine(line, reading)
    await sink.settle()
  }
  if (reading.line === 0) throw new BadArchive('import.jsonl is empty: this is no bulk export of Mattermost.')
  sink.count('conversations', reading.conversations.size)
  if (reading.teams.size === 1) sink.organization([...reading.teams.values()][0]!)
}

function newReading(archive: Archive, sink: Sink): Reading {
  const known = { teams: new Map(), bots: new Set<string>(), userOfId: new Map(), conversations: new Set<string>() }
  return { archive, sink, line: 0, ...known }
}

function checkVersion({ text }: Line): void {
  const { type, version } = parsed(text)
  if (type !== 'version' || version !== 1)
    throw new BadArchive('import.jsonl does not begin with version 1: this is no bulk export of Mattermost.')
}

function parsed(text: string | undefined): Fields {
  try {
    return fieldsOf(JSON.parse(text ?? ''))
  } catch {
    return {}
  }
}

async function readLine({ number, text }: Line, reading: Reading): Promise<void> {
  const { sink } = reading
  reading.line = number
  try {
    if (text === undefined) throw new Error(`the line is longer than ${longestLine} bytes`)
    const record = fieldsOf(JSON.parse(text))
    const type = requiredText(record.type, 'the type')
    await lookup(readers, type)?.(fieldsOf(lookup(record, type)), reading)
  } catch (error) {
    sink.problem({ kind: 'dropped', place: `line ${number}`, error: (error as Error).message })
  }
}

function readTeam(team: Fields, { teams }: Reading): void {
  const name = requiredText(team.name, 'the name of a team')
  teams.set(name, textOf(team.display_name) || name)
}

/** All members of a team are in its Town Square. */
const townSquare = 'town-square'

function readChannel(channel: Fields, { sink, teams }: Reading): void {
  const [team, name] = [textOf(channel.team), textOf(channel.name)]
  const isPrivate = channel.type === 'P'
  const isArchived = Number(channel.deleted_at ?? 0) > 0
  sink.add('channel', {
    key: channelKey(team, name),
    name: textOf(channel.display_name) || name,
    qualifiers: [teams.get(team) ?? team, name],
    folder: teams.get(team) ?? team,
    description: [textOf(channel.purpose), textOf(channel.header)].filter((text) => text.trim() !== '').join(' | '),
    isPrivate,
    isArchived,
    isDefault: name === townSquare && !isPrivate && !isArchived,
  })
  sink.count('channels')
}

async function readEmoji(emoji: Fields, { sink, archive }: Reading): Promise<void> {
  const image = requiredText(emoji.image, 'the image of an emoji')
  sink.add('emoji', { name: textOf(emoji.name), image: await locate(archive, image) })
  sink.count('custom emoji')
}

export function lost(counts: Counts): string[] {
  const emoji =
    'Mattermost leaves custom emoji out of archives made with "mmctl export create" since 10.5. Reactions with them have a stand-in image; texts have their names. The folder that "mattermost export bulk" writes has the images.'
  const reactions =
    'Mattermost leaves the reactions on first posts of direct and group conversations out of every export.'
  return [...(counts['custom emoji'] ? [] : [emoji]), ...(counts['direct posts'] ? [reactions] : [])]
}
