import { isAdmin } from '@parley/api/permissions'
import type { Caller } from '../../callers/caller.ts'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { one } from '../../platform/db/query.ts'
import { InvitationFailed } from './invitees.ts'

/** How many invitations a user can send by email in 24 hours. */
export const dailyLimits = { admins: 1000, others: 100 } as const

/** In open organizations anyone can join, so an account must be this old before it can invite. */
const minAgeDays = 3

/** Throws if the actor may not send this many emails today. Locks the actor, so that parallel requests are counted. */
export async function checkDailyLimit(tx: Tx, actor: Caller, emails: number): Promise<void> {
  checkAccountAge(actor)
  await lockRow(tx, 'users', actor.id)
  const { sent } = await one<{ sent: number }>(tx.db)`
    select coalesce(sum(sends), 0)::integer as sent from invitations
     where realm_id = ${tx.realmId} and inviter_id = ${actor.id} and kind = 'email'
       and sent_at > now() - interval '1 day'`
  const limit = isAdmin(actor) ? dailyLimits.admins : dailyLimits.others
  if (sent + emails <= limit) return
  const message = `You can send ${limit} invitations per day, so no invitations were sent. Try fewer, or tomorrow.`
  throw new InvitationFailed(message, { isLimit: true })
}

/** Prevents that someone joins an open organization only to send invitations as spam. */
function checkAccountAge(actor: Caller): void {
  const age = Date.now() - actor.date_joined.getTime()
  if (actor.realm.settings.invite_required || isAdmin(actor) || age >= minAgeDays * 86_400_000) return
  throw new InvitationFailed('Your account is too new to invite people. Ask an administrator to invite them.')
}
