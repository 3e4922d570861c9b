import { loadCaller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { matches } from '../../platform/db/matches.ts'
import { emailDomain } from '../../platform/emails.ts'
import { checkRate } from './mail-rates.ts'
import { MailRefused } from './mail-refused.ts'
import { hasExpired, type ReplyAddress, readReplyAddress } from './reply-address.ts'

/** Where an email goes. */
export interface Mailbox {
  realmId: number
  /** The same for all emails to one place; part of what makes a repeated email recognizable. */
  key: string
  /** Columns of `incoming_emails`. */
  columns: { user_id: number; message_id: number }
}

class NoSuchMailbox extends MailRefused {
  constructor() {
    super(
      550,
      '5.1.1',
      'There is no such address here, or it no longer works. Answer a newer email, or write in the app.',
    )
  }
}

class MailboxDisabled extends MailRefused {
  constructor(what: string) {
    super(550, '5.7.1', `${what} is deactivated.`)
  }
}

type Deps = Pick<Context, 'config' | 'db' | 'realms' | 'vault'>

/** Where emails to the address go. Throws if it takes none, or none now. */
export async function accessMailbox(ctx: Deps, email: string): Promise<Mailbox> {
  const { mailIn } = ctx.config
  const local = email.slice(0, email.lastIndexOf('@')).toLowerCase()
  if (!mailIn || emailDomain(email) !== mailIn.domain) throw new NoSuchMailbox()
  if (/^no-?reply$/.test(local))
    throw new MailRefused(
      550,
      '5.7.1',
      'Nobody reads this address. Write in the app, or ask the people you know there.',
    )
  const reply = readReplyAddress(local)
  if (!reply || hasExpired(reply.address)) throw new NoSuchMailbox()
  await checkReply(ctx, reply.address, (hash) => reply.isSigned(ctx.vault, hash))
  const { realmId, userId, messageId } = reply.address
  await checkRate(ctx.db, realmId, userId)
  return { realmId, key: `reply ${userId} ${messageId}`, columns: { user_id: userId, message_id: messageId } }
}

async function checkReply(
  ctx: Deps,
  { realmId, userId }: ReplyAddress,
  isSigned: (apiKeyHash: Buffer) => boolean,
): Promise<void> {
  const user = await ctx.db
    .selectFrom('users')
    .select('api_key_hash')
    .where(matches({ realm_id: realmId, id: userId }))
    .executeTakeFirst()
  if (!user || !isSigned(user.api_key_hash)) throw new NoSuchMailbox()
  const state = await ctx.realms.get(realmId)
  if (state.realm.deactivated) throw new MailboxDisabled('The organization')
  const caller = await loadCaller(ctx.db, state, userId)
  if (!caller?.is_active) throw new MailboxDisabled('Your account')
}

/** Throws for bounces: nobody answers them. Undefined: the mail server has not said. */
export function checkSender(sender: string | undefined): void {
  if (sender !== undefined && sender.replace(/[<>\s]/g, '') === '')
    throw new MailRefused(550, '5.7.1', 'Reports about the delivery of emails are not accepted here.')
}
