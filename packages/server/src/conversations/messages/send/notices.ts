import type { RenderContext } from '@parley/markdown/context'
import type { Rendered } from '@parley/markdown/render'
import { sql } from 'kysely'
import { type Realm, RealmState } from '../../../callers/realm-state.ts'
import type { Context } from '../../../context.ts'
import type { Personal } from '../../../events/log.ts'
import type { Tx } from '../../../events/transact.ts'
import type { FoundUser } from '../../../people/users/find-users.ts'
import { flagBits } from '../model/flag-bits.ts'
import type { SentRow } from './batches.ts'
import type { PreparedMessage } from './committer.ts'
import { composeMessage } from './compose.ts'
import type { Destination } from './destination.ts'
import { sendInTransaction } from './send.ts'

/** A message that the server itself sends. */
export interface Notice {
  sender: FoundUser
  destination: Destination
  content: string
  /** The content as its reader may see it. Without it, the content is rendered with `refersTo`. */
  rendered?: Rendered
  /** What the text refers to; notices mention silently. */
  refersTo?: Pick<RenderContext, 'users' | 'groups' | 'channels'>
  /** The user whose action it reports. For them it counts as read. */
  doer?: number
  /** If present, it counts as read for everyone except these users. */
  unreadFor?: number[]
}

/** Sends notices in the transaction that they report on, after the events emitted so far. */
export async function sendNotices(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  realm: Realm,
  notices: Notice[],
): Promise<SentRow[]> {
  if (notices.length === 0) return []
  await tx.flush()
  const state = new RealmState(realm, 0) // caches what several notices need
  const prepared: PreparedMessage[] = []
  for (const notice of notices) prepared.push(await prepareNotice(tx, ctx, state, notice))
  const sent = await sendInTransaction(tx, prepared)
  for (const [index, notice] of notices.entries()) await markRead(tx, notice, sent[index]!.message_id!)
  return sent
}

async function prepareNotice(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  state: RealmState,
  notice: Notice,
): Promise<PreparedMessage> {
  const { sender, destination, content, rendered, refersTo = {}, doer, unreadFor } = notice
  const { prepared } = await composeMessage(tx.db, {
    state,
    sender,
    destination,
    content,
    rendered: rendered ?? ctx.renderer.renderNow(content, refersTo),
    doers: doer === undefined ? [] : [doer],
    client: 'Internal',
    readBySender: true,
    accessVersion: null,
  })
  return unreadFor ? { ...prepared, personal: readExceptFor(unreadFor) } : prepared
}

function readExceptFor(userIds: number[]): Personal {
  return { everyone: ['read'], instead: Object.fromEntries(userIds.map((id) => [id, []])) }
}

async function markRead(tx: Tx, { destination, unreadFor }: Notice, messageId: number): Promise<void> {
  if (!unreadFor || destination.kind !== 'channel') return
  await sql`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select realm_id, user_id, ${messageId}, ${sql.lit(flagBits.read)} from subscriptions
     where realm_id = ${tx.realmId} and channel_id = ${destination.channel.id} and is_active
       and user_id <> all(${unreadFor}::bigint[])
    on conflict do nothing`.execute(tx.db)
}
