import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { foldCase } from '../platform/text.ts'
import type { Realm } from '../realms/state.ts'
import { checkEmail } from './actions.ts'
import { emailInUse } from './change-user.ts'

/** Services that give away mailboxes for an hour. */
const disposable = new Set(
  `mailinator.com guerrillamail.com 10minutemail.com tempmail.com temp-mail.org yopmail.com trashmail.com
sharklasers.com getnada.com maildrop.cc dispostable.com throwawaymail.com mintemail.com mailnesia.com
fakeinbox.com spamgourmet.com mohmal.com moakt.com`.split(/\s+/),
)

/** An email that a new account may have. */
export async function accessNewEmail(db: Db, realm: Realm, wanted: string): Promise<string> {
  const email = await accessAllowedEmail(db, realm, wanted)
  await checkFree(db, realm, email)
  return email
}

/** An email that the organization allows, whether or not an account has it already. */
export async function accessAllowedEmail(db: Db, realm: Realm, wanted: string): Promise<string> {
  const email = checkEmail(wanted)
  await checkDomain(db, realm, email)
  return email
}

async function checkDomain(db: Db, realm: Realm, email: string): Promise<void> {
  const [local, domain] = foldCase(email).split('@') as [string, string]
  if (realm.settings.emails_restricted_to_domains) {
    if (local.includes('+')) throw new ApiError('Addresses with a + are not allowed in this organization.')
    if (!(await isAllowed(db, realm, domain)))
      throw new ApiError('This address is outside the domains of this organization.')
  } else if (realm.settings.disallow_disposable_email_addresses && disposable.has(domain))
    throw new ApiError('Please use a lasting email address.')
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
