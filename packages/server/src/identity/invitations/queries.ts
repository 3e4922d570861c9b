import type { Role } from '@parley/api/common'
import { type RawBuilder, sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many, maybeOne } from '../../platform/db/query.ts'
import type { Vault } from '../../platform/secrets.ts'
import { isManagedBy, isPending } from './access.ts'

interface InvitationRow {
  id: number
  invited_by_user_id: number
  invited: number
  expiry_date: number | null
  invited_as: Role
  is_multiuse: boolean
  email: string | null
  notify_referrer_on_join: boolean
  token_sealed: Buffer
}

/** What decides which links a list shows. */
interface Links {
  vault: Vault
  baseUrl: string
  /** If the server sends no email, people pass on the links of email invitations themselves. */
  sendsEmail: boolean
}

/** The pending invitations that the caller may manage. */
export async function listInvitations(db: Db, caller: Caller, links: Links) {
  const rows = await many<InvitationRow>(db)`
    select i.id, i.inviter_id as invited_by_user_id, ${seconds(sql`i.created_at`)} as invited,
           ${seconds(sql`i.expires_at`)} as expiry_date, i.role as invited_as, i.kind = 'link' as is_multiuse, i.email,
           i.notify_inviter as notify_referrer_on_join, i.token_sealed
      from invitations i where ${isManagedBy(caller)} order by i.id`
  return rows.map(({ email, notify_referrer_on_join, token_sealed, ...common }) => {
    const link = () => ({ link_url: joinUrl(links.baseUrl, links.vault.open(token_sealed)) })
    if (email === null) return { ...common, ...link() }
    return { ...common, email, notify_referrer_on_join, ...(!links.sendsEmail && link()) }
  })
}

function seconds(time: RawBuilder<unknown>): RawBuilder<number> {
  return sql`floor(extract(epoch from ${time}))::bigint`
}

export function joinUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/join/${token}`
}

interface InvitationEmail {
  email: string
  inviter: string | null
  expires_at: Date | null
  token_sealed: Buffer
}

/** What the email of an invitation says. Undefined if the invitation is not pending any more. */
export async function readInvitationEmail(db: Db, vault: Vault, realmId: number, id: number) {
  const found = await maybeOne<InvitationEmail>(db)`
    select i.email, u.full_name as inviter, i.expires_at, i.token_sealed
      from invitations i left join users u on u.realm_id = i.realm_id and u.id = i.inviter_id and i.kind = 'email'
     where i.realm_id = ${realmId} and i.id = ${id} and i.email is not null and ${isPending}`
  return found && { ...found, token: vault.open(found.token_sealed) }
}
