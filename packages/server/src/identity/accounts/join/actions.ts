import { roles } from '@parley/api/common'
import { loadState, type Realm } from '../../../callers/realm-state.ts'
import { type Context, transactIn } from '../../../context.ts'
import {
  type OfferedGroup,
  readChannelsOfGroups,
  readOfferedGroups,
} from '../../../conversations/channels/default-groups/queries.ts'
import { sendNotices } from '../../../conversations/messages/send/notices.ts'
import { mention } from '../../../conversations/notices/channel-notices.ts'
import { requestAccountExistsMail, requestInvitationMail } from '../../../delivery/mail/actions.ts'
import type { Tx } from '../../../events/transact.ts'
import { accessGroup, lockGroups } from '../../../organization/groups/access.ts'
import { changeMembership } from '../../../organization/groups/membership.ts'
import { createUser, type NewUser } from '../../../people/users/actions.ts'
import { type FoundUser, findUsers, findUsersByEmail } from '../../../people/users/find-users.ts'
import { checkFullName } from '../../../people/users/profile/account-fields.ts'
import { accessAllowedEmail, accessNewEmail } from '../../../people/users/profile/email-rules.ts'
import { accessName } from '../../../people/users/profile/name-rules.ts'
import { findSystemBot } from '../../../people/users/system-bots.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { emailKey } from '../../../platform/emails.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { accessPlaces, accessToken, type OpenInvitation } from '../../invitations/access.ts'
import { storeInvitations, type Terms } from '../../invitations/actions.ts'
import { inField } from '../../pages/form.ts'
import { countSignUpRequest } from '../../passwords/attempt-limit.ts'
import { checkNewPassword } from '../../passwords/password-strength.ts'
import { hashPassword } from '../../passwords/passwords.ts'
import { checkRealmActive } from '../../sign-in/accounts.ts'
import { claimStub, findStub } from '../claim-stub.ts'
import { setPassword } from '../revoke-keys.ts'
import { welcomeAccount } from '../welcome.ts'

/** What a person types to create their account. The email counts only where the invitation names none. */
export interface SignUpForm {
  email: string
  full_name: string
  password: string
  /** The default channel groups that the person chose. */
  default_group_ids: number[]
  /** The one that the person's browser asks for. */
  language?: string | undefined
}

/** Creates the account of a person who opened the link of an invitation. `network` takes turns in hashing. */
export async function acceptInvitation(
  ctx: Context,
  realm: Realm,
  token: string,
  form: SignUpForm,
  network: string,
): Promise<FoundUser> {
  const invitation = await accessToken(ctx.db, realm, token)
  const full_name = await inField('full_name', () => checkFullName(form.full_name))
  const email = await inField('email', () => accessEmail(ctx, realm, invitation, form))
  await inField('password', () => checkNewPassword(ctx.config.mode, form.password, [email, full_name]))
  const password_hash = await hashPassword(form.password, network)
  const account = { email, full_name, role: invitation.role, password_hash, language: form.language }
  return transactIn(ctx, realm.id, (tx) => createInvited(tx, ctx, token, account, form.default_group_ids))
}

/** The email of an imported account is free for the person who received the link there. */
async function accessEmail(ctx: Context, realm: Realm, invitation: OpenInvitation, form: SignUpForm): Promise<string> {
  const email = emailOf(ctx, invitation, form)
  const isConfirmed = invitation.email !== null
  const stub = isConfirmed ? await findStub(ctx.db, realm.id, email) : undefined
  return stub === undefined ? accessNewEmail(ctx.db, realm, email) : accessAllowedEmail(ctx.db, realm, email)
}

/** Only if no email can be sent, a reusable link lets people sign up with an email that is not confirmed. */
function emailOf({ mailer }: Context, { email }: OpenInvitation, form: SignUpForm): string {
  if (email === null && mailer) throw new ApiError('Confirm your email first.')
  return email ?? form.email
}

/** Guests are not offered any: they get only the channels of their invitation. */
export async function readOfferedTo(db: Db, realm: Realm, { role }: OpenInvitation): Promise<OfferedGroup[]> {
  return role === roles.guest ? [] : readOfferedGroups(db, realm.id)
}

async function createInvited(
  tx: Tx,
  ctx: Context,
  token: string,
  account: NewUser,
  chosenGroups: number[],
): Promise<FoundUser> {
  const { realm } = await loadState(tx.db, tx.realmId)
  const opened = await accessToken(tx.db, realm, token, 'lock')
  const invitation = { ...opened, ...(await accessPlaces(tx.db, realm.id, opened)) }
  const user = (await claimInvited(tx, ctx, invitation, account)) ?? (await createNamed(tx, ctx, realm, account))
  await addToGroups(tx, realm, invitation, user)
  const chosen = account.role === roles.guest ? [] : await readChannelsOfGroups(tx.db, realm.id, chosenGroups)
  await welcomeAccount(tx, ctx, realm, user, { ...invitation, channel_ids: [...invitation.channel_ids, ...chosen] })
  await notifyInviter(tx, ctx, realm, invitation, user)
  await tx.audit(user.id, 'user_joined', { user_id: user.id, invitation_id: invitation.id })
  return user
}

async function createNamed(tx: Tx, { vault }: Context, realm: Realm, account: NewUser): Promise<FoundUser> {
  await inField('full_name', () => accessName(tx, realm, null, account.full_name))
  return createUser(tx, vault, realm, account)
}

/** An imported account keeps its name, role, messages and channels; the person gets it with a password. */
async function claimInvited(
  tx: Tx,
  { vault }: Context,
  invitation: OpenInvitation,
  { email, password_hash }: NewUser,
): Promise<FoundUser | undefined> {
  const id = invitation.email === null ? undefined : await findStub(tx.db, tx.realmId, email)
  if (id === undefined || !(await claimStub(tx, id))) return undefined
  const state = await loadState(tx.db, tx.realmId)
  await setPassword(tx, { vault, realm: state.realm, actorId: id }, id, password_hash!)
  return (await findUsers(tx.db, state, [id]))[0]
}

async function addToGroups(tx: Tx, realm: Realm, { inviter_id, group_ids }: OpenInvitation, user: FoundUser) {
  if (group_ids.length === 0 || inviter_id === null) return
  await lockGroups(tx, realm)
  for (const id of group_ids) {
    const group = await accessGroup(tx.db, realm.id, id)
    const change = { add: [user.id], delete: [], add_subgroups: [], delete_subgroups: [] }
    await changeMembership(tx, { id: inviter_id, realm }, group, change)
  }
}

async function notifyInviter(tx: Tx, ctx: Context, realm: Realm, invitation: OpenInvitation, user: FoundUser) {
  const { inviter_id, notify_inviter } = invitation
  if (inviter_id === null || !notify_inviter) return
  const [inviter] = await findUsers(tx.db, await loadState(tx.db, realm.id), [inviter_id])
  const sender = await findSystemBot(tx.db, realm, 'notification')
  const participants = [sender, inviter!].sort((a, b) => a.id - b.id)
  const content = `${mention(user)} accepted your invitation to join ${realm.name}.`
  const destination = { kind: 'direct', participants } as const
  await sendNotices(tx, ctx, realm, [{ sender, destination, content, refersTo: { users: [user] } }])
}

const minutesToConfirm = 24 * 60

/** What people get who sign up by themselves. */
const openTerms: Terms = {
  inviter_id: null,
  role: roles.member,
  channel_ids: [],
  group_ids: [],
  include_default_channels: true,
  notify_inviter: false,
  welcome_text: null,
}

/** Whether people may sign up without an invitation. Their email must be confirmed, so email must be sent. */
export function hasOpenSignUp({ mailer }: Pick<Context, 'mailer'>, { settings }: Realm): boolean {
  return !settings.invite_required && mailer !== undefined
}

export function checkOpenSignUp(ctx: Context, realm: Realm): void {
  checkRealmActive(realm)
  if (!hasOpenSignUp(ctx, realm))
    throw new ApiError(`You need an invitation to join ${realm.name}. Ask a member of the organization for one.`)
}

/**
 * Sends an email with the link to create the account. If there is an account already, the email says so: the page is
 * the same in both cases.
 */
export async function requestSignUp(
  ctx: Context,
  realm: Realm,
  { email: typed, network, baseUrl }: { email: string; network: string; baseUrl: string },
  token?: string,
): Promise<string> {
  const email = await inField('email', () => accessAllowedEmail(ctx.db, realm, typed))
  await countSignUpRequest(ctx.db, realm.id, emailKey(email), network)
  await transactIn(ctx, realm.id, async (tx) => {
    const link = token === undefined ? undefined : await accessToken(tx.db, realm, token)
    const terms = link ? termsOf(link) : openTerms
    const [account] = await findUsersByEmail(tx.db, await loadState(tx.db, realm.id), [email])
    if (account && (await findStub(tx.db, realm.id, email)) === undefined)
      return requestAccountExistsMail(tx, account.id, baseUrl)
    const [created] = await storeInvitations(tx, ctx.vault, 'sign_up', terms, [email], minutesFor(link))
    await requestInvitationMail(tx, created!.id, baseUrl)
  })
  return email
}

/** A sign-up is confirmed within a day, and before the link expires with which it began. */
function minutesFor(link: OpenInvitation | undefined): number {
  const left = link?.expires_at ? Math.ceil((link.expires_at.getTime() - Date.now()) / 60_000) : minutesToConfirm
  return Math.min(left, minutesToConfirm)
}

/** The terms of a reusable link, for one person who signs up with it. */
function termsOf(link: OpenInvitation): Terms & { link_id: number } {
  const { inviter_id, role, channel_ids, group_ids, include_default_channels, notify_inviter, welcome_text } = link
  const terms = { inviter_id, role, channel_ids, group_ids, include_default_channels, notify_inviter, welcome_text }
  return { ...terms, link_id: link.id }
}
