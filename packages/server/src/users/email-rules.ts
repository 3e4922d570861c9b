import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { foldCase } from '../platform/text.ts'
import type { Realm } from '../realms/state.ts'
import { checkEmail } from './actions.ts'
import { emailInUse } from './change-user.ts'

/** Services that provide temporary mailboxes. */
const disposable = new Set(
  `mailinator.com guerrillamail.com 10minutemail.com tempmail.com temp-mail.org yopmail.com trashmail.com
sharklasers.com getnada.com maildrop.cc dispostable.com throwawaymail.com mintemail.com mailnesia.com
fakeinbox.com spamgourmet.com mohmal.com moakt.com`.split(/\s+/),
)

/** An email that is allowed and not in use. */
export async function accessNewEmail(db: Db, realm: Realm, text: string): Promise<string> {
  const email = await accessAllowedEmail(db, realm, text)
  await checkFree(db, realm, email)
  return email
}

/** An email that the organization allows, even if an account already has it. */
export async function accessAllowedEmail(db: Db, realm: Realm, text: string): Promise<string> {
  const email = checkEmail(text)
  await checkDomain(db, realm, email)
  return email
}

async function checkDomain(db: Db, realm: Realm, email: string): Promise<void> {
  const [local, domain] = foldCase(email).split('@') as [string, string]
  if (realm.settings.emails_restricted_to_domains) {
    if (local.includes('+')) throw new ApiError('Email addresses with a + are not allowed in this organization.')
    if (!(await isAllowed(db, realm, domain)))
      throw new ApiError('The domain of this email address is not allowed in this organization.')
  } else if (realm.settings.disallow_disposable_email_addresses && disposable.has(domain))
    throw new ApiError('Disposable email addresses are not allowed in this organization. Please use another one.')
}

async function isAllowed(db: Db, realm: Realm, domain: string): Promise<boolean> {
  const allowed = await db
    .selectFrom('realm_domains')
    .select(['domain', 'allow_subdomains'])
    .where('realm_id', '=', realm.id)
    .execute()
  return allowed.some((one) => one.domain === domain || (one.allow_subdomains && domain.endsWith(`.${one.domain}`)))
}

async function checkFree(db: Db, realm: Realm, email: string): Promise<void> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where('realm_id', '=', realm.id)
    .where('email_key', '=', foldCase(email))
    .executeTakeFirst()
  if (found) throw emailInUse(email)
}
