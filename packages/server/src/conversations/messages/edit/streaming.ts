import type { editMessage } from '@parley/api/conversations/editing'
import { maxMessageLength } from '@parley/api/message-limits'
import type { ParamsOf } from '@parley/api/operation'
import { sql } from 'kysely'
import { type Caller, loadCaller } from '../../../callers/caller.ts'
import { type Commits, type Context, transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Job } from '../../../platform/jobs/tasks.ts'
import { lengthOf, unixSeconds } from '../../../platform/text.ts'
import { accessMessage, InvalidMessage } from '../model/access.ts'
import { renderAs } from '../send/compose.ts'
import { accessMentioned, changeContent, planPreviews } from './content.ts'
import { type Editing, lockMessage, lockOwnMessage } from './lock-for-edit.ts'
import { type NewContent, readEventAudience } from './update-event.ts'
import { changeUploads } from './uploads.ts'

declare module '../../../platform/jobs/tasks.ts' {
  interface Tasks {
    end_stream: { message_id: number }
  }
}

/** A stream without a new part for this long has ended. */
const silenceSeconds = 60
/** However long its author goes on. */
const longestMilliseconds = 600_000
/** Readers see at most four changes a second. */
const shortestPause = sql<Date>`now() - interval '240 milliseconds'`

export async function startStream(tx: Tx, message_id: number): Promise<void> {
  await tx.db.insertInto('message_streams').values({ realm_id: tx.realmId, message_id }).execute()
  await planEnd(tx, message_id)
}

async function planEnd(tx: Tx, message_id: number): Promise<void> {
  await tx.enqueue('end_stream', { message_id }, { runAt: new Date(Date.now() + silenceSeconds * 1000) })
}

type StreamDeps = Pick<Context, 'db' | 'renderer'>

/** The next state of a streamed message, based on the text that it had. */
export interface Part {
  before: string
  draft: NewContent
  isDone: boolean
  isNew: boolean
}

/** Renders the text with its next part, before the transaction starts. */
export async function planPart(
  ctx: StreamDeps,
  caller: Caller,
  id: number,
  params: ParamsOf<typeof editMessage>,
  realmUrl: string,
): Promise<Part> {
  const { delta = '', offset, done = false, content, topic, stream_id } = params
  if (content !== undefined || topic !== undefined || stream_id !== undefined)
    throw new ApiError('A part of a streamed message is sent alone: without content, topic or stream_id.')
  const message = await accessMessage(ctx.db, caller, id)
  if (message.sender_id !== caller.id) throw new ApiError("You don't have permission to edit this message.")
  if (Date.now() - message.date_sent.getTime() > longestMilliseconds) throw new StreamEnded()
  const joined = withDelta(message.content, delta, offset)
  const text = done ? joined.trimEnd() : joined
  const rendered = await renderAs(ctx, caller, text, realmUrl)
  if (rendered.uploads.length > 0) checkMayLinkFiles(caller)
  return {
    before: message.content,
    draft: { content: text, rendered },
    isDone: done,
    isNew: joined !== message.content,
  }
}

/** The text with a part that begins at an offset, in characters. A part that is in it already changes nothing. */
function withDelta(text: string, delta: string, offset: number | undefined): string {
  if (delta === '') return text
  const characters = [...text]
  const at = offset ?? characters.length
  if (at < characters.length && characters.slice(at).join('').startsWith(delta)) return text
  if (at !== characters.length) throw new OffsetMismatch(characters.length)
  if (characters.length + lengthOf(delta) > maxMessageLength)
    throw new ApiError(`A message has at most ${maxMessageLength} characters. Send the rest as another message.`)
  return text + delta
}

/** Those of an agent that is limited to channels could belong to others; the parts of a link come one by one. */
function checkMayLinkFiles({ credential }: Caller): void {
  if (credential?.agent?.channel_ids)
    throw new ApiError('Agents that are limited to channels cannot link uploaded files.')
}

class StreamEnded extends ApiError {
  constructor() {
    super('This message is not being streamed, or its stream has ended.')
  }
}

class OffsetMismatch extends ApiError {
  constructor(length: number) {
    super(`The text has ${length} characters so far: continue at that offset.`, 'EXPECTATION_MISMATCH', {
      fields: { length },
    })
  }
}

/** Stores the next part, without an entry in the history. The last part notifies those it mentions. */
export async function appendPart(tx: Tx, caller: Caller, id: number, part: Part): Promise<number> {
  const editing = await lockMessage(tx, caller, id, { moves: false, target: undefined })
  if (editing.place?.channel.is_archived) throw new InvalidMessage()
  if (editing.message.content !== part.before) throw new OffsetMismatch(lengthOf(editing.message.content))
  await takeTurn(tx, id, part)
  if (part.isNew || part.isDone) await apply(tx, caller, editing, part)
  return lengthOf(part.draft.content)
}

async function takeTurn(tx: Tx, message_id: number, { isNew, isDone }: Part): Promise<void> {
  const stream = matches({ realm_id: tx.realmId, message_id })
  const found = await tx.db
    .selectFrom('message_streams')
    .select((row) => row('updated_at', '>', shortestPause).as('is_early'))
    .where(stream)
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw new StreamEnded()
  if (isDone) await tx.db.deleteFrom('message_streams').where(stream).execute()
  else if (isNew && found.is_early)
    throw new ApiError('Send at most four parts a second.', 'RATE_LIMIT_HIT', { headers: { 'Retry-After': '1' } })
  else if (isNew) await tx.db.updateTable('message_streams').set({ updated_at: new Date() }).where(stream).execute()
}

async function apply(tx: Tx, caller: Caller, editing: Editing, { draft, isDone }: Part): Promise<void> {
  const { message } = editing
  const mentioned = await accessMentioned(tx, caller, editing, draft)
  if (isDone) {
    await changeUploads(tx, caller, message, draft.rendered)
    await changeContent(tx, { message, edit: null }, draft, mentioned)
    await planPreviews(tx, caller, message.id, draft)
  } else {
    const { html, hasLink, hasImage } = draft.rendered
    await tx.db
      .updateTable('messages')
      .set({ content: draft.content, rendered_content: html, has_link: hasLink, has_image: hasImage })
      .where(matches({ realm_id: tx.realmId, id: message.id }))
      .execute()
  }
  await emitPart(tx, caller, editing, { draft, isStreaming: !isDone })
}

async function emitPart(
  tx: Tx,
  { id: user_id }: Caller,
  editing: Editing,
  { draft, isStreaming }: { draft: NewContent; isStreaming: boolean },
): Promise<void> {
  const { audience, personal } = await readEventAudience(tx, editing, undefined)
  const { id } = editing.message
  tx.emit(
    {
      type: 'update_message',
      user_id,
      rendering_only: true,
      streaming: isStreaming,
      message_id: id,
      message_ids: [id],
      flags: [],
      edit_timestamp: unixSeconds(new Date()),
      content: draft.content,
      rendered_content: draft.rendered.html,
    },
    audience,
    null,
    personal,
  )
}

/** Ends the stream of a message whose author has been silent, as its last part would have. */
export async function endStream(
  ctx: Commits & Pick<Context, 'realms' | 'renderer'>,
  { realm_id, message_id }: Job<'end_stream'>,
): Promise<void> {
  const message = await ctx.db
    .selectFrom('messages')
    .select(['sender_id', 'content'])
    .where(matches({ realm_id, id: message_id }))
    .executeTakeFirst()
  const author = message && (await loadCaller(ctx.db, await ctx.realms.get(realm_id), message.sender_id))
  if (!author) return
  const stream = matches({ realm_id, message_id })
  // What a deactivated author had begun stays as it is.
  if (!author.is_active) return void (await ctx.db.deleteFrom('message_streams').where(stream).execute())
  const content = message.content.trimEnd()
  const draft = { content, rendered: await renderAs(ctx, author, content) }
  await transactIn(ctx, realm_id, async (tx) => {
    const editing = await lockOwnMessage(tx, author, message_id, { moves: false })
    const ended = await tx.db
      .deleteFrom('message_streams')
      .where(stream)
      .where('updated_at', '<=', new Date(Date.now() - silenceSeconds * 1000))
      .returning('message_id')
      .executeTakeFirst()
    if (ended && editing?.message.content === message.content && !editing.place?.channel.is_archived)
      return apply(tx, author, editing, { before: '', draft, isDone: true, isNew: false })
    const isOpen = await tx.db.selectFrom('message_streams').select('message_id').where(stream).executeTakeFirst()
    if (isOpen) await planEnd(tx, message_id)
  })
}
