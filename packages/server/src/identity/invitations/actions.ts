import type { createInvitationLink, sendInvitations } from '@parley/api/identity/invitations'
import type { ParamsOf } from '@parley/api/operation'
import { sql } from 'kysely'
import { checkAccess } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database } from '../../platform/db/pool.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hashKey, newToken, type Vault } from '../../platform/secrets.ts'
import { checkChannels, checkGroups, checkMayInviteAs, lockInvitation } from './access.ts'
import { checkAllowed, findAccounts, InvitationFailed, parseEmails, type Refusal } from './invitees.ts'
import { checkDailyLimit } from './limits.ts'

type LinkParams = ParamsOf<typeof createInvitationLink>
type EmailParams = ParamsOf<typeof sendInvitations>

/** A stored invitation with its token, which is not readable from the database. */
export interface Created {
  id: number
  email: string | null
  token: string
}

/** What people get who accept. */
export interface Terms {
  inviter_id: number | null
  role: number
  channel_ids: number[]
  group_ids: number[]
  include_default_channels: boolean
  notify_inviter: boolean
  welcome_text: string | null
}

/**
 * Invites people by email. If an email is not allowed, nobody is invited; emails that already have an account are
 * skipped.
 */
export async function inviteByEmail(
  tx: Tx,
  vault: Vault,
  actor: Caller,
  params: EmailParams,
  limit: 'daily' | 'none' = 'daily',
): Promise<{ invitations: Created[]; skipped: Refusal[] }> {
  const emails = parseEmails(params.invitee_emails)
  if (emails.length === 0) throw new ApiError('You must specify at least one email address.')
  const terms = { ...(await accessTerms(tx, actor, params)), notify_inviter: params.notify_referrer_on_join }
  if (limit === 'daily') await checkDailyLimit(tx, actor, emails.length)
  await checkAllowed(tx.db, actor.realm, emails)
  const skipped = await findAccounts(tx.db, actor.realm, emails)
  const invited = emails.filter((email) => !skipped.some(([one]) => one === email))
  if (invited.length === 0) throw new InvitationFailed('Nobody was invited.', { errors: skipped })
  await replaceEarlier(tx, actor, invited)
  const expiry = params.invite_expires_in_minutes
  const invitations = await storeInvitations(tx, vault, 'email', terms, invited, expiry)
  await announce(tx, actor.id, 'invitations_sent', invitations, params.invite_as)
  return { invitations, skipped }
}

/** Creates a link with which any number of people can join. */
export async function createLink(tx: Tx, vault: Vault, actor: Caller, params: LinkParams): Promise<Created> {
  const terms = { ...(await accessTerms(tx, actor, params)), notify_inviter: true }
  const created = await storeInvitations(tx, vault, 'link', terms, [null], params.invite_expires_in_minutes)
  await announce(tx, actor.id, 'invitation_link_created', created, params.invite_as)
  return created[0]!
}

async function accessTerms(tx: Tx, actor: Caller, params: LinkParams): Promise<Omit<Terms, 'notify_inviter'>> {
  const welcome_text = params.welcome_message_custom_text?.trim() || null
  if (welcome_text !== null) checkAccess('admin', actor)
  checkMayInviteAs(actor, params.invite_as)
  const channel_ids = [...new Set(params.stream_ids)]
  const group_ids = [...new Set(params.group_ids)]
  await checkChannels(tx.db, actor, channel_ids)
  await checkGroups(tx.db, actor, group_ids)
  const include_default_channels = params.include_realm_default_subscriptions
  return {
    inviter_id: actor.id,
    role: params.invite_as,
    channel_ids,
    group_ids,
    include_default_channels,
    welcome_text,
  }
}

/** Stores one invitation per email. Only the hash and an encrypted copy of each token are stored. */
export async function storeInvitations(
  tx: Tx,
  vault: Vault,
  kind: 'email' | 'link' | 'sign_up',
  terms: Terms & { link_id?: number },
  emails: (string | null)[],
  expiresInMinutes: number | null,
): Promise<Created[]> {
  const tokens = emails.map(newToken)
  const rows = await tx.db
    .insertInto('invitations')
    .values(
      emails.map((email, index) => ({
        ...terms,
        realm_id: tx.realmId,
        kind,
        email,
        email_key: email === null ? null : emailKey(email),
        token_hash: hashKey(tokens[index]!),
        token_sealed: vault.seal(tokens[index]!),
        expires_at: sql<Date>`now() + make_interval(mins => ${expiresInMinutes}::integer)`,
      })),
    )
    .returning(['id', 'email'])
    .execute()
  return rows.map((row, index) => ({ ...row, token: tokens[index]! }))
}

/** Inviting an email again replaces the caller's earlier invitation to it. */
async function replaceEarlier(tx: Tx, { id }: Caller, emails: string[]): Promise<void> {
  const earlier = matches({ inviter_id: id, kind: 'email', email_key: emails.map(emailKey) })
  await endOpen(tx).where(earlier).execute()
}

async function announce(tx: Tx, actorId: number, action: string, created: Created[], role: number): Promise<void> {
  emitInvitesChanged(tx, actorId)
  await tx.audit(actorId, action, { invitation_ids: created.map(({ id }) => id), role })
}

/** Emits to administrators and the inviter that their list of invitations changed. */
export function emitInvitesChanged(tx: Tx, inviterId: number | null): void {
  tx.emit({ type: 'invites_changed' }, { admins: true, ...(inviterId !== null && { users: [inviterId] }) })
}

export async function revokeInvitation(tx: Tx, actor: Caller, kind: 'email' | 'link', id: number): Promise<void> {
  const { inviter_id } = await lockInvitation(tx, actor, kind, id)
  await endInvitations(tx, [id])
  emitInvitesChanged(tx, inviter_id)
  await tx.audit(actor.id, 'invitation_revoked', { invitation_id: id })
}

/** Counts the email that is sent again, and returns the token of the link in it. */
export async function resendInvitation(tx: Tx, vault: Vault, actor: Caller, id: number): Promise<string> {
  await checkDailyLimit(tx, actor, 1)
  const { token_sealed } = await lockInvitation(tx, actor, 'email', id)
  await sql`update invitations set sends = sends + 1, sent_at = now()
             where realm_id = ${tx.realmId} and id = ${id}`.execute(tx.db)
  await tx.audit(actor.id, 'invitation_resent', { invitation_id: id })
  return vault.open(token_sealed)
}

export async function endInvitations(tx: Tx, ids: number[]): Promise<void> {
  const chosen = matches({ realm_id: tx.realmId, id: ids })
  await end(tx).where(chosen).execute()
}

function end(tx: Tx) {
  return tx.db.updateTable('invitations').set({ ended_at: sql`now()` }).where('realm_id', '=', tx.realmId)
}

function endOpen(tx: Tx) {
  return end(tx).where('ended_at', 'is', null)
}

/** Revokes the invitations and links of a user who is deactivated. */
export async function revokeInvitationsOf(tx: Tx, inviterId: number): Promise<void> {
  const { numUpdatedRows } = await endOpen(tx).where('inviter_id', '=', inviterId).executeTakeFirstOrThrow()
  if (numUpdatedRows) emitInvitesChanged(tx, null)
}

/** Ends all invitations to an email that now has an account. */
export async function endInvitationsTo(tx: Tx, email: string): Promise<void> {
  const ended = await endOpen(tx).where('email_key', '=', emailKey(email)).returning(['kind', 'inviter_id']).execute()
  const inviters = ended.filter(({ kind }) => kind === 'email').map(({ inviter_id }) => inviter_id)
  for (const inviterId of new Set(inviters)) emitInvitesChanged(tx, inviterId)
}

/** Deletes what ended long ago, because it contains emails of people who may have no account. */
export async function deleteOldInvitations(db: Database): Promise<void> {
  await sql`
    delete from invitations where coalesce(ended_at, expires_at) < now() - interval '30 days'`.execute(db)
}
