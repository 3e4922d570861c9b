import type { Realm } from '../../callers/realm-state.ts'
import { loadEmailRules } from '../../people/users/profile/email-rules.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** An email, why it was not invited, and whether it belongs to a deactivated account. */
export type Refusal = [email: string, reason: string, deactivated: boolean]

/** Tells which emails were not invited, and whether the others were. */
export class InvitationFailed extends ApiError {
  readonly errors: Refusal[]

  constructor(message: string, { errors = [] as Refusal[], sent = false, isLimit = false } = {}) {
    const fields = { errors, sent_invitations: sent, daily_limit_reached: isLimit, license_limit_reached: false }
    super(message, 'INVITATION_FAILED', { fields })
    this.errors = errors
  }
}

/** Emails separated by commas or line breaks, also in the form `Name <email>`, without duplicates. */
export function parseEmails(text: string): string[] {
  const emails = new Map<string, string>()
  for (const part of text.split(/[,\r\n]+/)) {
    const email = (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim()
    if (email !== '' && !emails.has(emailKey(email))) emails.set(emailKey(email), email)
  }
  return [...emails.values()]
}

/** Throws if the organization does not allow one of the emails: then the caller probably mistyped it. */
export async function checkAllowed(db: Db, realm: Realm, emails: string[]): Promise<void> {
  const checkEmail = await loadEmailRules(db, realm)
  const errors = emails.flatMap((email): Refusal[] => {
    try {
      checkEmail(email)
      return []
    } catch (error) {
      if (error instanceof ApiError) return [[email, error.message, false]]
      throw error
    }
  })
  if (errors.length > 0)
    throw new InvitationFailed('Some of the emails are not allowed, so no invitations were sent.', { errors })
}

/** The emails that already have an account. An imported one that nobody has claimed is what an invitation is for. */
export async function findAccounts(db: Db, realm: Realm, emails: string[]): Promise<Refusal[]> {
  const byKey = new Map(emails.map((email) => [emailKey(email), email]))
  const invited = matches({ realm_id: realm.id, email_key: [...byKey.keys()] })
  const accounts = await db
    .selectFrom('users')
    .select(['email_key', 'is_active'])
    .where(invited)
    .where((one) => one.or([one('is_imported_stub', '=', false), one('is_active', '=', false)]))
    .execute()
  return accounts.map(({ email_key, is_active }) => [
    byKey.get(email_key)!,
    is_active ? 'Already has an account.' : 'The account has been deactivated.',
    !is_active,
  ])
}
