import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { foldCase } from '../platform/text.ts'
import { fakeDomain, type Realm } from '../realms/state.ts'
import { type Person, personColumns } from './people.ts'

/** The bots that speak for the server. */
export const systemBots = {
  notification: 'Notification Bot',
  welcome: 'Welcome Bot',
  emailgateway: 'Email Gateway',
} as const
export type SystemBot = keyof typeof systemBots

export function systemBotEmail(realm: Realm, bot: SystemBot): string {
  return `${bot === 'emailgateway' ? bot : `${bot}-bot`}@${fakeDomain(realm)}`
}

export async function findSystemBot(db: Db, realm: Realm, bot: SystemBot): Promise<Person> {
  const { rows } = await sql<Person>`
    select ${personColumns} from users u
     where u.realm_id = ${realm.id} and u.email_key = ${foldCase(systemBotEmail(realm, bot))} and u.is_system_bot`.execute(
    db,
  )
  return rows[0]!
}
