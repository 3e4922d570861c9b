import type { Realm } from '../../../callers/realm-state.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { emailDomain, emailKey } from '../../../platform/emails.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { emailInUse } from '../change-user.ts'
import { checkEmail } from './account-fields.ts'

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
  return (await loadEmailRules(db, realm))(text)
}

/** A function that returns a valid email and throws if the organization does not allow it. */
export async function loadEmailRules(db: Db, realm: Realm): Promise<(text: string) => string> {
  const domains = realm.settings.emails_restricted_to_domains ? await readDomains(db, realm) : undefined
  return (text) => {
    const email = checkEmail(text)
    checkDomain(realm, email, domains)
    return email
  }
}

interface Domain {
  domain: string
  allow_subdomains: boolean
}

function checkDomain({ settings }: Realm, email: string, domains: Domain[] | undefined): void {
  const domain = emailDomain(email)
  if (domains) {
    if (email.includes('+')) throw new ApiError('Email addresses with a + are not allowed in this organization.')
    if (!isIn(domain, domains))
      throw new ApiError('The domain of this email address is not allowed in this organization.')
  } else if (settings.disallow_disposable_email_addresses && disposable.has(domain))
    throw new ApiError('Disposable email addresses are not allowed in this organization. Please use another one.')
}

function isIn(domain: string, domains: Domain[]): boolean {
  return domains.some((one) => one.domain === domain || (one.allow_subdomains && domain.endsWith(`.${one.domain}`)))
}

function readDomains(db: Db, realm: Realm): Promise<Domain[]> {
  return db
    .selectFrom('realm_domains')
    .select(['domain', 'allow_subdomains'])
    .where('realm_id', '=', realm.id)
    .execute()
}

async function checkFree(db: Db, realm: Realm, email: string): Promise<void> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where(matches({ realm_id: realm.id, email_key: emailKey(email) }))
    .executeTakeFirst()
  if (found) throw emailInUse(email)
}
