import { roles } from '@parley/api/common'
import { readConfig } from '../config.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { addAccount } from '../setup/account.ts'
import { createRealm } from '../setup/realm.ts'
import { checkEmail, checkFullName } from '../users/actions.ts'
import { hashPassword } from '../users/passwords.ts'
import { withContext } from './context.ts'
import { askPassword } from './password.ts'

export interface NewOrganization {
  name: string
  stringId: string
  host?: string
  ownerEmail: string
  ownerName: string
  ownerPassword?: string
}

export async function createOrganization(wanted: NewOrganization): Promise<void> {
  check(wanted)
  const { name, stringId, host, ownerEmail: email, ownerName: full_name } = wanted
  const password = await askPassword(wanted.ownerPassword, email)
  await withContext(async (ctx) => {
    const realmId = await createRealm(ctx, { name, string_id: stringId, host: host ?? null })
    const { realm } = await ctx.realms.get(realmId)
    const password_hash = await hashPassword(password)
    await addAccount(ctx, realm, { email, full_name, role: roles.owner, password_hash })
  })
  console.log(`Made the organization "${name}" (${stringId}) with its owner ${email}, who can sign in:`)
  console.log(`  curl -d username=${email} --data-urlencode password=… ${addressOf(host)}/api/v1/fetch_api_key`)
}

/** Before anything is made, so that nothing is left half-made. */
function check({ name, stringId, host, ownerEmail, ownerName }: NewOrganization): void {
  if (name.trim() === '' || name.length > 40)
    throw new StartupError('The name of an organization has 1 to 40 characters.')
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(stringId))
    throw new StartupError(`--string-id takes small letters, digits and hyphens between them, not "${stringId}".`)
  if (host !== undefined && !/^[a-z0-9.:-]{1,253}$/i.test(host))
    throw new StartupError(`--host takes a host name like chat.example.com, not "${host}".`)
  checkEmail(ownerEmail)
  checkFullName(ownerName)
}

function addressOf(host: string | undefined): string {
  const { publicUrl, host: address, port } = readConfig('production')
  return host === undefined ? (publicUrl ?? `http://${address}:${port}`) : `https://${host}`
}
