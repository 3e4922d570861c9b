import type { Grant } from '../../callers/grants.ts'
import { transactIn } from '../../context.ts'
import { grant } from '../../people/users/actions.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database } from '../../platform/db/pool.ts'
import { emailKey } from '../../platform/emails.ts'
import { commandName } from '../../platform/installation.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { findRealm, withContext } from '../open-context.ts'

export async function grantTo(email: string, granted: Grant[], options: { realm?: string }): Promise<void> {
  await withContext(async (ctx) => {
    const realm = await findRealm(ctx.db, options.realm)
    const userId = await findAccount(ctx.db, realm, email)
    await transactIn(ctx, realm.id, (tx) => grant(tx, userId, granted))
    console.log(`${email} now has ${granted.join(' and ')} in ${realm.name}.`)
  })
}

export async function findAccount(db: Database, realm: { id: number; name: string }, email: string): Promise<number> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where(matches({ realm_id: realm.id, email_key: emailKey(email) }))
    .executeTakeFirst()
  if (user) return user.id
  throw new StartupError(`No account in ${realm.name} has the email address ${email}: see "${commandName} user list".`)
}
