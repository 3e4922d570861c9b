import { foldCase } from '../platform/text.ts'

/** Whether the provider vouches for emails of this domain. Without a list it does for all. */
export function vouchesFor({ email_domains }: { email_domains?: string[] }, email: string): boolean {
  const domain = foldCase(email.slice(email.lastIndexOf('@') + 1))
  return email_domains === undefined || email_domains.some((one) => foldCase(one) === domain)
}
