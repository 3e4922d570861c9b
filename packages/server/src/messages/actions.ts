import { parseWidget } from '@parley/markdown/widgets'
import { sql } from 'kysely'
import { type Context, transactIn } from '../context.ts'
import type { Db } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { metInConversation, tellOfGained } from '../users/acquaintance.ts'
import { reloadCaller } from '../users/auth.ts'
import { type Caller, loadCaller } from '../users/caller.ts'
import { findPeople } from '../users/people.ts'
import { attentionOf } from './attention.ts'
import { loggedEvents, type PreparedMessage, type SentRow, sendMessages } from './committer.ts'
import { accessDestination } from './destination.ts'
import { changeUploads } from './edit-uploads.ts'
import { hasBegun, tellOfBeginnings } from './first-message.ts'
import { accessMentions, type Mentioned } from './mentions.ts'
import { prepare } from './prepare.ts'
import { resolveReferences } from './references.ts'
import { strangersIn } from './strangers.ts'
import { newWidget, type Submessage, storeWidget } from './submessages.ts'
import { normalizeContent } from './text.ts'
import { recordTriggers, type Trigger, triggersOf } from './triggers.ts'

export interface SendRequest {
  type: string
  to: number | string | (number | string)[]
  topic?: string
  content: string
  client: string
  readBySender: boolean
  /** The address at which the sender reaches the realm. */
  realmUrl?: string
  echo?: { queue_id: string; local_id: string } | undefined
}

type Sending = Pick<Context, 'db' | 'realms' | 'renderer' | 'committer' | 'follower' | 'wake'>

const attempts = 3

/** A message that was sent, and what may follow from it. */
export interface Sent {
  id: number
  /** Absent for direct messages, and for a send that only repeats an earlier one. */
  topic?: { id: number; name: string; channelId: number }
  /** People it mentions, by name or through a group. */
  mentioned: number[]
}

/**
 * Sends a message. The checks use what this process remembers; the database stores the message
 * only if nothing that could decide otherwise has changed since, and if something has, everything is checked again.
 */
export async function sendMessage(ctx: Sending, sender: Caller, request: SendRequest): Promise<Sent> {
  if (parseWidget(request.content.trimStart()) || mayLinkFiles(request.content)) return sendLocked(ctx, sender, request)
  let caller = sender
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { prepared, mentioned, triggers, met } = await checkAndPrepare(ctx, caller, request)
    if (met.length > 0 || (await isFirst(ctx, caller, prepared))) break
    const row = await (triggers.length > 0 ? sendTriggering(ctx, prepared, triggers) : ctx.committer.send(prepared))
    if (row.status !== 'stale') return sentMessage(row, prepared, mentioned)
    ctx.realms.dropState(caller.state)
    caller = await freshCaller(ctx, sender)
  }
  return sendLocked(ctx, sender, request)
}

/** What begins a channel comes with news of that. */
async function isFirst({ db }: Sending, caller: Caller, { channel_id }: PreparedMessage): Promise<boolean> {
  return channel_id !== null && !(await hasBegun(db, caller, channel_id))
}

/** Files are claimed in the transaction of the message that links to them. */
function mayLinkFiles(content: string): boolean {
  return content.includes('user_uploads/')
}

/** The few messages that a bot elsewhere waits for are stored one by one, together with the request to deliver them. */
function sendTriggering(ctx: Sending, prepared: PreparedMessage, triggers: Trigger[]): Promise<SentRow> {
  return transactIn(ctx, prepared.realm_id, async (tx) => {
    const [row] = await sendInTransaction(tx, [prepared])
    if (row!.status === 'sent') await recordTriggers(tx, row!.message_id, triggers)
    return row!
  })
}

async function freshCaller(ctx: Sending, sender: Caller): Promise<Caller> {
  const caller = await loadCaller(ctx.db, await ctx.realms.get(sender.realm_id), sender.id)
  if (!caller?.is_active) throw new ApiError('Account is deactivated', 'UNAUTHORIZED')
  return caller
}

/** For what needs more than one statement, for those who meet, for what begins a channel, and for a realm that changes faster than we can check. */
function sendLocked(ctx: Sending, sender: Caller, request: SendRequest): Promise<Sent> {
  return transactIn(ctx, sender.realm_id, (tx) => sendIn(tx, ctx, sender, request))
}

/** Sends as part of a transaction: nothing in the realm changes from here until it is through. */
export async function sendIn(
  tx: Tx,
  ctx: Checking,
  sender: Pick<Caller, 'id' | 'realm_id'>,
  request: SendRequest,
): Promise<Sent> {
  await tx.flush()
  await tx.position()
  const caller = await reloadCaller(tx.db, sender)
  const widget = await newWidget(tx.db, caller.id, request.content)
  const { prepared, mentioned, triggers, rendered, met } = await checkAndPrepare(
    { ...ctx, db: tx.db },
    caller,
    request,
    widget,
  )
  await tellOfGained(tx, caller.realm, met)
  await tx.flush()
  const [row] = await sendInTransaction(tx, [prepared])
  if (widget && row!.status === 'sent') await storeWidget(tx, row!.message_id, widget)
  if (row!.status === 'sent') await recordTriggers(tx, row!.message_id, triggers)
  if (row!.status === 'sent' && rendered.uploads.length > 0) await changeUploads(tx, caller, row!.message_id, rendered)
  return sentMessage(row!, prepared, mentioned)
}

function sentMessage(row: SentRow, { channel_id }: PreparedMessage, { users }: Mentioned): Sent {
  if (row.status !== 'sent' || channel_id === null) return { id: row.message_id, mentioned: [] }
  const topic = { id: row.topic_id!, name: row.topic_name!, channelId: channel_id }
  return { id: row.message_id, topic, mentioned: users }
}

type Checking = { db: Db } & Pick<Context, 'renderer'>

/** What a message will be, if its sender may send it. */
export async function checkAndPrepare(ctx: Checking, caller: Caller, request: SendRequest, widget?: Submessage) {
  const content = normalizeContent(request.content)
  const destination = await accessDestination(ctx.db, caller, request)
  const references = await resolveReferences(ctx.db, caller, content, request.realmUrl)
  const rendered = await ctx.renderer.render(caller, content, references)
  const mentioned = await accessMentions(ctx.db, caller, destination, rendered)
  const attention = await attentionOf(ctx.db, caller.state, caller.id, destination, content)
  const [sender] = await findPeople(ctx.db, caller.state, [caller.id])
  const prepared = prepare({
    realm: caller.realm,
    sender: sender!,
    destination,
    content,
    rendered,
    mentioned,
    attention,
    client: request.client,
    readBySender: request.readBySender,
    accessVersion: caller.state.accessVersion,
    echo: request.echo,
    strangers: destination.kind === 'channel' ? await strangersIn(ctx.db, caller, destination.channel.id) : [],
    widget,
  })
  const met = destination.kind === 'direct' ? await metInConversation(ctx.db, caller.realm, destination.people) : []
  return { prepared, mentioned, triggers: triggersOf(caller, destination, mentioned), rendered, met }
}

export async function sendInTransaction(tx: Tx, prepared: PreparedMessage[]): Promise<SentRow[]> {
  const rows = await sendMessages(async (realmIds, batch) => {
    const result = await sql<SentRow>`select * from send_messages(${realmIds}, ${batch})`.execute(tx.db)
    return result.rows
  }, prepared)
  tx.appended(loggedEvents(prepared, rows))
  await tellOfBeginnings(tx, rows)
  return rows
}
