import type { Outcome } from '@parley/integrations/handle'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { resolveTopicOf, rewriteOwnMessage } from '../../conversations/messages/edit/own-message.ts'
import { renderAs } from '../../conversations/messages/send/compose.ts'
import { type SendRequest, sendIn, sendMessage } from '../../conversations/messages/send/send.ts'
import { emitPolicies } from '../../conversations/topics/policies.ts'
import type { Tx } from '../../events/transact.ts'
import {
  forgetKey,
  type HookMessage,
  hashOfKey,
  hasOpenMatters,
  isInStorm,
  type KeyKind,
  lockKey,
  storeKey,
} from './hook-messages.ts'
import type { HookRow } from './queries.ts'

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    show_hook_count: { hook_id: number; key_hash: string }
  }
}

export interface Posted {
  outcome: 'sent' | 'updated' | 'counted' | 'collapsed'
  message_id: number
}

export interface Posting {
  hook: HookRow
  bot: Caller
  request: SendRequest
  /** Whether the topic is about one matter, so that it can be resolved. */
  resolves: boolean
  keys: Pick<Extract<Outcome, { kind: 'message' }>, 'update_key' | 'dedup_key' | 'closed'>
}

interface Key {
  kind: KeyKind
  key_hash: Buffer
  isOpen: boolean
}

/** Sends the message of a request, or edits the one that an earlier request about the same made. */
export async function post(ctx: Context, posting: Posting): Promise<Posted> {
  const key = keyOf(posting)
  if (key) return postWithKey(ctx, posting, key)
  if (await isInStorm(ctx.db, posting.hook)) return collapse(ctx, posting)
  const { id } = await sendMessage(ctx, posting.bot, posting.request)
  return { outcome: 'sent', message_id: id }
}

function keyOf({ request, keys }: Posting): Key | undefined {
  const { update_key, dedup_key, closed } = keys
  const isOpen = closed === undefined
  if (update_key) return { kind: 'update', key_hash: hashOfKey('update', request.to, update_key), isOpen }
  if (dedup_key) return { kind: 'count', key_hash: hashOfKey('count', request.to, dedup_key), isOpen }
  return undefined
}

async function postWithKey(ctx: Context, posting: Posting, key: Key): Promise<Posted> {
  const { hook, bot } = posting
  const posted = await transactIn(ctx, hook.realm_id, async (tx) => {
    const known = await lockKey(tx, hook, key)
    return (await editKnown(tx, ctx, posting, known, key)) ?? (await sendNew(tx, ctx, posting, key))
  })
  if (!posted) return collapse(ctx, posting)
  if (posting.resolves && key.kind === 'update' && !key.isOpen) await closeTopic(ctx, hook, bot, posted.message_id)
  return posted
}

/** Undefined if the message is gone, or about something that is over. */
async function editKnown(
  tx: Tx,
  ctx: Context,
  { hook, bot, request: { content } }: Posting,
  known: HookMessage,
  { isOpen }: Key,
): Promise<Posted | undefined> {
  const { message_id, kind } = known
  if (message_id === null || known.is_old || (kind === 'update' && !known.is_open && isOpen)) return undefined
  const next = { ...known, content: kind === 'storm' ? '' : content, count: known.count + 1, is_open: isOpen }
  const isDue = kind === 'update' || isCountDue(known)
  if (isDue && !(await rewrite(tx, ctx, bot, next))) return undefined
  const shown = isDue ? { shown: next.count, edited_at: new Date() } : {}
  await storeKey(tx, hook.id, known.key_hash, { content: next.content, count: next.count, is_open: isOpen, ...shown })
  if (!isDue) await planCount(tx, hook.id, known)
  return { outcome: kind === 'update' ? 'updated' : kind === 'count' ? 'counted' : 'collapsed', message_id }
}

/** Undefined in a storm: the key is forgotten then. */
async function sendNew(
  tx: Tx,
  ctx: Context,
  posting: Posting,
  { kind, key_hash, isOpen }: Key,
): Promise<Posted | undefined> {
  const { hook, bot, request } = posting
  if (kind !== 'storm' && (await isInStorm(tx.db, hook))) {
    await forgetKey(tx, hook.id, key_hash)
    return undefined
  }
  const first = { kind, content: kind === 'storm' ? '' : request.content, count: 1, first_at: new Date() }
  const { id } = await sendIn(tx, ctx, bot, { ...request, content: textOf(first) })
  const values = { content: first.content, first_at: first.first_at, edited_at: first.first_at }
  await storeKey(tx, hook.id, key_hash, { ...values, message_id: id, count: 1, shown: 1, is_open: isOpen })
  return { outcome: kind === 'storm' ? 'collapsed' : 'sent', message_id: id }
}

/** One message that says how many more there are. The log of the hook has all of them. */
async function collapse(ctx: Context, posting: Posting): Promise<Posted> {
  const key: Key = { kind: 'storm', key_hash: hashOfKey('storm', posting.request.to, ''), isOpen: true }
  return postWithKey(ctx, posting, key)
}

export async function rewrite(tx: Tx, ctx: Context, bot: Caller, message: HookMessage): Promise<boolean> {
  const content = textOf(message)
  const rendered = await renderAs({ db: tx.db, renderer: ctx.renderer }, bot, content)
  return rewriteOwnMessage(tx, bot, message.message_id!, { content, rendered })
}

const longestText = 9900

function textOf({
  kind,
  content,
  count,
  first_at,
}: Pick<HookMessage, 'kind' | 'content' | 'count' | 'first_at'>): string {
  if (kind === 'storm')
    return `**${count} more** since <time:${first_at.toISOString()}>. The log of the hook has them all.`
  if (kind === 'update' || count === 1) return content
  return `${content.slice(0, longestText).toWellFormed()}\n\n**× ${count}**`
}

const shownAtOnce = 3
const pauseMilliseconds = 5000

/** A message that counts is edited every few seconds at most. */
function isCountDue({ count, edited_at }: HookMessage): boolean {
  return count < shownAtOnce || Date.now() - edited_at.getTime() >= pauseMilliseconds
}

async function planCount(tx: Tx, hook_id: number, { key_hash, edited_at }: HookMessage): Promise<void> {
  const runAt = new Date(edited_at.getTime() + pauseMilliseconds)
  const hex = key_hash.toString('hex')
  await tx.enqueue('show_hook_count', { hook_id, key_hash: hex }, { runAt, key: `show_hook_count ${hook_id} ${hex}` })
}

/** Resolves the topic of a message when everything in it is over. What is refused stays as it is. */
async function closeTopic(ctx: Context, hook: HookRow, bot: Caller, messageId: number): Promise<void> {
  await transactIn(ctx, hook.realm_id, async (tx) => {
    if (await hasOpenMatters(tx, hook, messageId)) return
    await resolveTopicOf(tx, { emitPolicies }, bot, messageId)
  }).catch((err: unknown) => ctx.log.warn({ err }, 'the topic of a hook was not resolved'))
}
