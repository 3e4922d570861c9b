import { buffer } from 'node:stream/consumers'
import { type Archive, BadArchive } from '../../../platform/archives/foreign-archive.ts'
import { linesOf } from '../../../platform/archives/lines.ts'
import { exportFormat, type Manifest } from '../../export/export-manifest.ts'
import type { OpenRows, RowSink, RowSource } from '../rows/row-source.ts'
import { clean, type Row, rowsIn } from '../rows/row-values.ts'
import { checkSums } from './check-sums.ts'

const main = 'export.json'
const largestManifest = 100_000

/** Our own export, format 1. */
export const parleyRows: RowSource = { main, open: openExport, lost: () => [] }

async function openExport(archive: Archive, sink: RowSink): Promise<OpenRows> {
  const { realm } = await readManifest(archive)
  await checkSums(archive)
  await countRows(archive, sink)
  const [row] = await Array.fromAsync(linesIn(archive, 'realm'))
  if (!row) throw new BadArchive('realm.jsonl has no organization.')
  sink.organization(clean(row.name))
  return {
    realmId: realm.id,
    mayKeepIds: true,
    isOurs: true,
    isOwnHost: (host) => host === row.host,
    rows: (section) => linesIn(archive, section),
    messages: () => linesIn(archive, 'messages'),
    upload: (pathId) => `files/${pathId}`,
    avatar: ({ avatar_path }) =>
      typeof avatar_path === 'string' ? { path: `avatars/${avatar_path}.png`, isOurs: true } : undefined,
    emoji: ({ file_name }) => ({ path: `emoji/${clean(file_name)}`, isOurs: true }),
    image: (kind) => images(archive, kind),
  }
}

async function images(archive: Archive, kind: 'icon' | 'logo' | 'night_logo') {
  const path = kind === 'icon' ? 'icon-large.png' : `${kind}.webp`
  return (await archive.find(path)) ? { path, isOurs: true } : undefined
}

async function readManifest(archive: Archive): Promise<Manifest> {
  const file = (await archive.find(main))!
  if (file.size > largestManifest) throw new BadArchive(`${main} is too large.`)
  const manifest = parsed(String(await buffer(file.stream()))) as Partial<Manifest> | undefined
  if (manifest?.source?.program !== 'parley') throw new BadArchive(`${main} is not that of an export of Parley.`)
  if (manifest.format !== exportFormat)
    throw new BadArchive(
      `The export has format ${String(manifest.format)}, and this version reads ${exportFormat}: update Parley.`,
    )
  if (!Number.isSafeInteger(manifest.realm?.id)) throw new BadArchive(`${main} names no organization.`)
  return manifest as Manifest
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The rows of a member; none if the export has no such member. */
async function* linesIn(archive: Archive, name: string): AsyncGenerator<Row> {
  const file = await archive.find(`${name}.jsonl`)
  if (!file) return
  for await (const { number, text } of linesOf(file.stream())) {
    const row = text === undefined ? undefined : parsed(text)
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new BadArchive(`Line ${number} of ${name}.jsonl is damaged.`)
    yield row as Row
  }
}

async function countRows(archive: Archive, sink: RowSink): Promise<void> {
  for await (const { bot_type, is_system_bot } of linesIn(archive, 'users'))
    if (is_system_bot !== true) sink.count(typeof bot_type === 'number' ? 'bots' : 'people')
  for (const section of ['channels', 'files']) for await (const _ of linesIn(archive, section)) sink.count(section)
  const conversations = new Set<string>()
  for await (const { id, recipients, reactions } of linesIn(archive, 'messages')) {
    sink.message(id as number)
    sink.count('messages')
    sink.count('reactions', rowsIn(reactions).length)
    if (Array.isArray(recipients)) conversations.add(recipients.join())
  }
  sink.count('conversations', conversations.size)
}
