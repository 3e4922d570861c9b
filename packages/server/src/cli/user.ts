import { roles } from '@parley/api/common'
import { type Context, transactIn } from '../context.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { foldCase } from '../platform/text.ts'
import type { Realm } from '../realms/state.ts'
import { addAccount } from '../setup/account.ts'
import { checkEmail, checkFullName, type Grant, grant } from '../users/actions.ts'
import { hashPassword } from '../users/passwords.ts'
import { findRealm, withContext } from './context.ts'
import { askPassword } from './password.ts'
import type { RoleName } from './roles.ts'

interface AccountOptions {
  name: string
  role: RoleName
  password?: string
  realm?: string
}

export async function createAccount(email: string, options: AccountOptions): Promise<void> {
  checkEmail(email)
  checkFullName(options.name)
  const password = await askPassword(options.password, email)
  await withContext(async (ctx) => {
    const realm = await findRealm(ctx, options.realm)
    const password_hash = await hashPassword(password)
    await addAccount(ctx, realm, { email, full_name: options.name, role: roles[options.role], password_hash })
    console.log(`Made the account ${email} (${options.role}) in ${realm.name}.`)
  })
}

export async function grantTo(email: string, granted: Grant[], options: { realm?: string }): Promise<void> {
  await withContext(async (ctx) => {
    const realm = await findRealm(ctx, options.realm)
    const userId = await findAccount(ctx, realm, email)
    await transactIn(ctx, realm.id, (tx) => grant(tx, userId, granted))
    console.log(`${email} now has ${granted.join(' and ')} in ${realm.name}.`)
  })
}

async function findAccount(ctx: Context, realm: Realm, email: string): Promise<number> {
  const user = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('realm_id', '=', realm.id)
    .where('email_key', '=', foldCase(email))
    .executeTakeFirst()
  if (user) return user.id
  throw new StartupError(
    `Nobody in ${realm.name} has the address ${email}: see "npm run parley -- user create --help".`,
  )
}
