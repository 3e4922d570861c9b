import { sql } from 'kysely'
import { fakeDomain, type Realm } from '../../callers/realm-state.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { type FoundUser, foundUserColumns } from './find-users.ts'

/** The bots that send the server's own messages. */
export const systemBots = {
  notification: 'Notification Bot',
  welcome: 'Welcome Bot',
  emailgateway: 'Email Gateway',
} as const
export type SystemBot = keyof typeof systemBots

export function systemBotEmail(realm: Realm, bot: SystemBot): string {
  return `${localPart(bot)}@${fakeDomain(realm)}`
}

function localPart(bot: SystemBot): string {
  return bot === 'emailgateway' ? bot : `${bot}-bot`
}

/** The system bot with this email, on any host. */
export function systemBotWith(email: string): SystemBot | undefined {
  const local = email.slice(0, email.indexOf('@')).toLowerCase()
  return (Object.keys(systemBots) as SystemBot[]).find((bot) => localPart(bot) === local)
}

/** Whether user `u` is the bot. Compares only the local part of the email: the organization may have moved to another host. */
export function isSystemBot(bot: SystemBot): Fragment {
  return sql`(u.is_system_bot and split_part(u.email_key, '@', 1) = ${localPart(bot)})`
}

export async function findSystemBot(db: Db, realm: Realm, bot: SystemBot): Promise<FoundUser> {
  return one<FoundUser>(db)`
    select ${foundUserColumns} from users u
     where u.realm_id = ${realm.id} and ${isSystemBot(bot)}`
}
