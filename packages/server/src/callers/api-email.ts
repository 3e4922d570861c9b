/** The setting of `email_address_visibility` with which everyone may see the email. */
export const visibleToEveryone = 1

interface Address {
  id: number
  email: string
  email_address_visibility: number
  bot_type: number | null
}

/** The email shown to clients: the real one only if everyone may see it, otherwise a fake one. */
export function apiEmail(row: Address, realmHost: string): string {
  const isShown = row.bot_type !== null || row.email_address_visibility === visibleToEveryone
  return isShown ? row.email : `user${row.id}@${realmHost}`
}
