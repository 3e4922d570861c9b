import type { MessageWidget } from '@parley/api/conversations/widgets'
import { parseWidget } from '@parley/markdown/blocks/widgets'
import { reloadCaller } from '../../../callers/authenticate.ts'
import { type Caller, loadCaller, queueOwner } from '../../../callers/caller.ts'
import { type Commits, type Context, transactIn } from '../../../context.ts'
import { Superseded } from '../../../events/commit/claim.ts'
import type { Tx } from '../../../events/transact.ts'
import {
  emitGainedUsers,
  type Pair,
  usersMetInConversation,
} from '../../../people/users/visibility/guest-visibility.ts'
import { many } from '../../../platform/db/query.ts'
import { FairQueue } from '../../../platform/fair-queue.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { changeUploads } from '../edit/uploads.ts'
import { emitFirstMessageIds, hasBegun } from '../model/first-message.ts'
import { normalizeContent } from '../model/normalize-text.ts'
import { newWidget, type Submessage, storeWidget } from '../model/submessages.ts'
import type { SentRow } from './batches.ts'
import { loggedEvents, type PreparedMessage, sendMessages } from './committer.ts'
import { type Composed, composeAs, type RenderDeps, type Rendering, renderAs, renderingAs } from './compose.ts'
import { accessDestination } from './destination.ts'
import type { Mentioned } from './mentions.ts'
import { checkNoticeMode, type NoticeMode, storeNoticeMode } from './notice-mode.ts'
import { recordTriggers, type Trigger } from './webhook-triggers.ts'

export interface SendRequest {
  type: string
  to: number | string | (number | string)[]
  topic?: string | undefined
  content: string
  client: string
  readBySender: boolean
  /** The URL under which the sender reaches the realm. */
  realmUrl?: string
  echo?: { queue_id: string; local_id: string } | undefined
  /** The claim of a request with an Idempotency-Key. */
  claimId?: number | undefined
  widget_content?: MessageWidget | undefined
  /** How it notifies, if not as usual. */
  mode?: NoticeMode | undefined
  /** What else its transaction does. */
  afterwards?: ((tx: Tx, sent: Sent) => Promise<void>) | undefined
}

type SendDeps = Commits & Pick<Context, 'realms' | 'renderer' | 'committer'>

const maxAttempts = 3

/** A message that was sent, with what topic policies need to know about it. */
export interface Sent {
  id: number
  /** Absent for direct messages, and for a send that only repeats an earlier one. */
  topic?: { id: number; name: string; channelId: number }
  /** Users it mentions, by name or through a group. */
  mentioned: number[]
}

/**
 * Sends a message. Permission checks use the caches of this process. The database stores the message only if
 * `access_version` is unchanged since then; otherwise the caches are dropped and all checks are repeated.
 */
export async function sendMessage(ctx: SendDeps, sender: Caller, request: SendRequest): Promise<Sent> {
  if (hasWidget(request) || mayLinkFiles(request.content) || request.mode || request.afterwards)
    return sendLocked(ctx, sender, request)
  let caller = sender
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { prepared, mentioned, triggers, met } = await checkAndCompose(ctx, caller, request)
    if (met.length > 0 || (await isFirst(ctx, caller, prepared))) break
    const row = await (triggers.length > 0
      ? inTurn(caller, () => sendTriggering(ctx, prepared, triggers))
      : ctx.committer.send(prepared))
    if (row.status !== 'stale') return sentMessage(row, prepared, mentioned)
    ctx.realms.dropState(caller.state)
    caller = await freshCaller(ctx, sender)
  }
  return sendLocked(ctx, sender, request)
}

/** The first message of a channel also emits the channel's `first_message_id`, so it needs a transaction. */
async function isFirst({ db }: SendDeps, caller: Caller, { channel_id }: PreparedMessage): Promise<boolean> {
  return channel_id !== null && !(await hasBegun(db, caller, channel_id))
}

function hasWidget({ content, widget_content }: SendRequest): boolean {
  return widget_content !== undefined || parseWidget(content.trimStart()) !== undefined
}

/** Linked files are claimed in the transaction that stores the message. */
function mayLinkFiles(content: string): boolean {
  return content.includes('user_uploads/')
}

/** Messages that trigger outgoing webhooks are rare: each is stored in its own transaction, with the delivery jobs. */
function sendTriggering(ctx: SendDeps, prepared: PreparedMessage, triggers: Trigger[]): Promise<SentRow> {
  return transactIn(ctx, prepared.realm_id, async (tx) => {
    const [row] = await sendInTransaction(tx, [prepared])
    if (row!.status === 'sent') await recordTriggers(tx, row!.message_id!, triggers)
    return row!
  })
}

async function freshCaller(ctx: SendDeps, sender: Caller): Promise<Caller> {
  const caller = await loadCaller(ctx.db, await ctx.realms.get(sender.realm_id), sender.id)
  if (!caller?.is_active) throw new ApiError('Account is deactivated', 'UNAUTHORIZED')
  return caller
}

/**
 * Sends in a transaction that locks the realm. For messages that need more than one statement, that make users visible
 * to each other or start a channel, and for realms that change faster than we can check.
 */
function sendLocked(ctx: SendDeps, sender: Caller, request: SendRequest): Promise<Sent> {
  return inTurn(sender, () => transactIn(ctx, sender.realm_id, (tx) => sendIn(tx, ctx, sender, request)))
}

/** Sends that occupy a database connection each: one user's must not take all connections from the others. */
const transactions = new FairQueue({
  concurrency: 8,
  concurrencyPerOwner: 2,
  waitingPerOwner: 100,
  waitingInTotal: 1000,
})

function inTurn<T>(sender: Caller, send: () => Promise<T>): Promise<T> {
  return transactions.run(queueOwner(sender), send)
}

/** Sends as part of a transaction. The realm is locked from here until commit. */
export async function sendIn(
  tx: Tx,
  ctx: RenderDeps,
  sender: Pick<Caller, 'id' | 'realm_id'>,
  request: SendRequest,
): Promise<Sent> {
  const deps = { ...ctx, db: tx.db }
  await tx.flush()
  const earlier = await renderFirst(deps, await reloadCaller(tx.db, sender), request)
  await tx.position()
  const caller = await reloadCaller(tx.db, sender)
  const widget = await newWidget(tx.db, caller.id, request)
  const composed = await checkAndCompose(deps, caller, { ...request, earlier }, widget)
  await emitGainedUsers(tx, caller.realm, composed.met)
  await tx.flush()
  const row = await storeComposed(tx, caller, composed)
  const sent = sentMessage(row, composed.prepared, composed.mentioned)
  if (row.status === 'sent') await request.afterwards?.(tx, sent)
  return sent
}

/** Before the realm is locked: nobody else waits for a text that takes long. */
async function renderFirst(deps: RenderDeps, caller: Caller, request: SendRequest): Promise<Rendering> {
  await accessDestination(deps.db, caller, request)
  return renderingAs(deps, caller, normalizeContent(request.content), request.realmUrl)
}

/** Stores a message with its widget, the files it claims and the webhooks it triggers. */
export async function storeComposed(tx: Tx, author: Caller, composed: Composed): Promise<SentRow> {
  const { prepared, widget, rendered, triggers, mode } = composed
  const [row] = await sendInTransaction(tx, [prepared])
  if (row!.status !== 'sent') return row!
  if (mode) await storeNoticeMode(tx, { author, messageId: row!.message_id!, mode }, prepared.user_ids ?? [])
  if (widget) await storeWidget(tx, row!.message_id!, widget)
  await recordTriggers(tx, row!.message_id!, triggers)
  if (rendered.uploads.length > 0)
    await changeUploads(tx, author, { id: row!.message_id!, has_attachment: false }, rendered)
  return row!
}

function sentMessage(row: SentRow, { channel_id }: PreparedMessage, { users }: Mentioned): Sent {
  if (row.status === 'superseded') throw new Superseded()
  if (row.status !== 'sent' || channel_id === null) return { id: row.message_id!, mentioned: [] }
  const topic = { id: row.topic_id!, name: row.topic_name!, channelId: channel_id }
  return { id: row.message_id!, topic, mentioned: users }
}

/** Checks that the caller may send the requested message, and composes it. */
export async function checkAndCompose(
  deps: RenderDeps,
  caller: Caller,
  request: SendRequest & { earlier?: Rendering },
  widget?: Submessage,
): Promise<Composed & { met: Pair[] }> {
  const content = normalizeContent(request.content)
  const destination = await accessDestination(deps.db, caller, request)
  const rendered = await renderAs(deps, caller, content, request.realmUrl, request.earlier)
  const { client, readBySender, echo, claimId, mode } = request
  checkNoticeMode(mode, destination)
  const accessVersion = caller.state.accessVersion
  const options = { destination, content, rendered, client, readBySender, echo, claimId, accessVersion, widget, mode }
  const composed = await composeAs(deps.db, caller, options)
  const met =
    destination.kind === 'direct' ? await usersMetInConversation(deps.db, caller.realm, destination.participants) : []
  return { ...composed, met }
}

export async function sendInTransaction(tx: Tx, prepared: PreparedMessage[]): Promise<SentRow[]> {
  const rows = await sendMessages(
    (realmIds, batch) => many<SentRow>(tx.db)`select * from send_messages(${realmIds}, ${batch})`,
    prepared,
  )
  tx.appended(loggedEvents(prepared, rows))
  await emitFirstMessageIds(tx, rows)
  return rows
}
