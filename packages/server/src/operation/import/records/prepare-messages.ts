import { extname } from 'node:path'
import type { RenderContext } from '@parley/markdown/context'
import type { Rendered } from '@parley/markdown/render'
import { CannotRender } from '../../../conversations/messages/rendering/renderer.ts'
import { type NewFile, storeFile } from '../../../conversations/uploads/actions.ts'
import type { ArchiveFile } from '../../../platform/archives/foreign-archive.ts'
import { escapeHtml } from '../../../platform/html.ts'
import { firstBytes } from '../first-bytes.ts'
import { chunksOf, type Run } from '../run.ts'
import { namesFor } from './names.ts'
import type { ImportedMessage } from './records.ts'
import type { TopicNames } from './topics.ts'

export interface StoredUpload extends NewFile {
  ownerId: number
}

/** A message whose files are stored and whose text is rendered. */
export interface Prepared {
  key: string
  message: ImportedMessage
  topic: string | undefined
  /** Whether the topic is that of its thread alone. */
  isApart: boolean
  content: string
  rendered: Rendered
  files: StoredUpload[]
}

const atOnce = 16

export async function prepareMessages(
  run: Run,
  topics: TopicNames,
  messages: { key: string; message: ImportedMessage; topic: string | undefined }[],
): Promise<Prepared[]> {
  const prepared: Prepared[] = []
  for (const some of chunksOf(messages, atOnce))
    prepared.push(...(await Promise.all(some.map((one) => prepare(run, topics, one)))))
  return prepared
}

async function prepare(
  run: Run,
  topics: TopicNames,
  { key, message, topic }: { key: string; message: ImportedMessage; topic: string | undefined },
): Promise<Prepared> {
  const files: StoredUpload[] = []
  const links: string[] = []
  for (const file of message.files) {
    const stored = await storeOne(run, message, file)
    if (stored) files.push(stored)
    else if (run.source.download)
      run.plan.problem({ kind: 'missing', place: `${message.place} ${message.at}`, error: `no file ${file.name}` })
    links.push(stored ? linkTo(stored) : `(${file.name}: this file is not in the archive)`)
  }
  const { names, context } = namesFor(run, message.place, message.author ?? message.sender)
  const text = topics.textOf(message, run.channels.get(message.place)?.name)
  const converted = run.source.toMarkup(text, message.place, names)
  const content = [converted, links.join('\n')].filter((part) => part !== '').join('\n\n')
  const rendered = await render(run, content, { ...context(), ...found(run, content, files) })
  return { key, message, topic, isApart: topics.isApart(message), content, rendered, files }
}

function linkTo({ name, path_id }: StoredUpload): string {
  return `[${name.replace(/[[\]]/g, '_')}](/user_uploads/${path_id})`
}

/** Custom emoji and images of a text. */
function found(run: Run, content: string, files: StoredUpload[]): RenderContext {
  const names = run.emoji.size > 0 ? new Set([...content.matchAll(/:([\w+-]+):/g)].map(([, name]) => name!)) : []
  const customEmoji = [...names].flatMap((name) => {
    const url = run.emoji.get(name)?.url
    return url ? [{ name, source_url: url }] : []
  })
  const images = files.flatMap(({ path_id, content_type, width, height }) =>
    width === null || height === null ? [] : [{ path_id, content_type, width, height, thumbnail_ready: false }],
  )
  return { customEmoji, images }
}

/** A text that takes too long is stored as it is written. */
async function render({ ctx, realm }: Run, content: string, context: RenderContext): Promise<Rendered> {
  try {
    return await ctx.renderer.render({ realm_id: realm.id, id: 0, bot_owner_id: null }, content, context)
  } catch (error) {
    if (!(error instanceof CannotRender)) throw error
    return { ...ctx.renderer.renderNow('', context), html: `<p>${escapeHtml(content)}</p>` }
  }
}

async function storeOne(
  run: Run,
  message: ImportedMessage,
  { path, name, owner }: ImportedMessage['files'][number],
): Promise<StoredUpload | undefined> {
  const { ctx, archive, people, realm, source } = run
  const file = (await archive.find(path)) ?? (await source.download?.(path))
  if (!file) return undefined
  const ownerId = (people.get(owner ?? '') ?? people.get(message.sender)!).id
  const stored = await storeFile(
    ctx.files,
    { realm_id: realm.id, id: ownerId, bot_owner_id: null },
    contentOf(file, name),
  )
  return { ...stored, ownerId }
}

/** The type is lost: the name decides for texts, the first bytes for everything else. */
const textFiles = new Set(['.txt', '.md', '.csv', '.tsv', '.log', '.json', '.yaml', '.yml', '.diff', '.patch'])

function contentOf(file: ArchiveFile, filename: string) {
  return {
    filename,
    contentType: textFiles.has(extname(filename).toLowerCase()) ? 'text/plain' : 'application/octet-stream',
    size: file.size,
    stream: () => file.stream(),
    bytes: (length = file.size) => firstBytes(file, length),
  }
}
