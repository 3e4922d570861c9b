import { emailDomain, emailKey } from '../../platform/emails.ts'

/** Whether the provider vouches for emails of this domain. Without a list it does for all. */
export function vouchesFor({ email_domains }: { email_domains?: string[] }, email: string): boolean {
  const domain = emailDomain(email)
  return email_domains === undefined || email_domains.some((one) => emailKey(one) === domain)
}
