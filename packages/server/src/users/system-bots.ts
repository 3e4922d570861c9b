import type { Db } from '../platform/db/pool.ts'
import { one } from '../platform/db/query.ts'
import { fakeDomain, type Realm } from '../realms/state.ts'
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

/** Compares only the local part of the email, because the organization may have moved to another host. */
export async function findSystemBot(db: Db, realm: Realm, bot: SystemBot): Promise<FoundUser> {
  return one<FoundUser>(db)`
    select ${foundUserColumns} from users u
     where u.realm_id = ${realm.id} and u.is_system_bot and split_part(u.email_key, '@', 1) = ${localPart(bot)}`
}
