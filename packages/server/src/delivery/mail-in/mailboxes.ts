import { loadCaller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { findActiveChannel } from '../../conversations/channels/access.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { emailDomain } from '../../platform/emails.ts'
import type { Vault } from '../../platform/secrets.ts'
import { readBounceAddress } from './bounces/bounce-address.ts'
import { readChannelAddress } from './channel-address.ts'
import { checkRate } from './mail-rates.ts'
import { MailRefused } from './mail-refused.ts'
import { bounceOption, type Mailbox } from './mailbox.ts'
import { hasExpired, readReplyAddress } from './reply-address.ts'

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
  const bounce = await accessBounce(ctx, local)
  if (bounce) {
    await checkRate(ctx.db, bounce)
    return bounce
  }
  const found = replyMailbox(local) ?? channelMailbox(local)
  if (!found) throw new NoSuchMailbox()
  await checkUser(ctx, found.mailbox.realmId, found.keyOf, (hash) => found.isSigned(ctx.vault, hash))
  if (found.mailbox.columns.channel_id !== undefined) await checkChannel(ctx, found.mailbox)
  await checkRate(ctx.db, found.mailbox)
  return found.mailbox
}

/** The return path of an email to a user. */
async function accessBounce({ db, vault }: Deps, local: string): Promise<Mailbox | undefined> {
  const read = readBounceAddress(local)
  if (!read) return undefined
  const { realmId, userId } = read.address
  const named = matches({ realm_id: realmId, id: userId })
  const user = await db.selectFrom('users').select('email').where(named).executeTakeFirst()
  if (!user || !read.isSigned(vault, user.email)) throw new NoSuchMailbox()
  return { realmId, key: `bounce ${userId}`, columns: { user_id: userId, options: [bounceOption] }, isForReports: true }
}

interface Found {
  mailbox: Mailbox
  /** The user whose API key is part of the signature. */
  keyOf: number
  isSigned(vault: Vault, apiKeyHash: Buffer): boolean
}

function replyMailbox(local: string): Found | undefined {
  const read = readReplyAddress(local)
  if (!read || hasExpired(read.address)) return undefined
  const { realmId, userId, messageId } = read.address
  const columns = { user_id: userId, message_id: messageId }
  return { mailbox: { realmId, key: `reply ${userId} ${messageId}`, columns }, keyOf: userId, isSigned: read.isSigned }
}

function channelMailbox(local: string): Found | undefined {
  const read = readChannelAddress(local)
  if (!read) return undefined
  const { realmId, channelId, creatorId, senderId } = read.address
  const columns = { user_id: senderId, creator_id: creatorId, channel_id: channelId, options: read.options }
  return { mailbox: { realmId, key: `channel ${channelId}`, columns }, keyOf: creatorId, isSigned: read.isSigned }
}

async function checkUser(
  ctx: Deps,
  realmId: number,
  userId: number,
  isSigned: (apiKeyHash: Buffer) => boolean,
): Promise<void> {
  const key = await findApiKeyHash(ctx.db, realmId, userId)
  if (!key || !isSigned(key)) throw new NoSuchMailbox()
  const state = await ctx.realms.get(realmId)
  if (state.realm.deactivated) throw new MailboxDisabled('The organization')
  const caller = await loadCaller(ctx.db, state, userId)
  if (!caller?.is_active) throw new MailboxDisabled('The account')
}

async function checkChannel({ db }: Deps, { realmId, columns }: Mailbox): Promise<void> {
  if (!(await findActiveChannel(db, realmId, columns.channel_id!))) throw new MailboxDisabled('The channel')
}

/** What the addresses of a user depend on. Undefined: there is no such user. */
export async function findApiKeyHash(db: Db, realmId: number, userId: number): Promise<Buffer | undefined> {
  const user = db
    .selectFrom('users')
    .select('api_key_hash')
    .where(matches({ realm_id: realmId, id: userId }))
  return (await user.executeTakeFirst())?.api_key_hash
}

/** Throws for reports about deliveries, except at return paths: nobody answers them. Undefined: the sender is not known. */
export function checkSender(sender: string | undefined, mailbox: Mailbox): void {
  if (mailbox.isForReports) return
  if (sender !== undefined && sender.replace(/[<>\s]/g, '') === '')
    throw new MailRefused(550, '5.7.1', 'Reports about the delivery of emails are not accepted here.')
}
