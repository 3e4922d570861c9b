import { roles } from '@parley/api/roles'
import { type Config, readConfig } from '../../config.ts'
import { checkEmail, checkFullName } from '../../people/users/profile/account-fields.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { withContext } from '../open-context.ts'
import { readPassword } from '../users/read-password.ts'

export interface NewOrganization {
  name: string
  stringId: string
  host?: string
  ownerEmail: string
  ownerName: string
}

export async function createOrganization(params: NewOrganization): Promise<void> {
  check(params)
  const { name, stringId, host, ownerEmail: email, ownerName: full_name } = params
  const password = await readPassword(email)
  await withContext(async (ctx, { place }) => {
    // Loaded here, because most of the program loads while the password is being checked.
    const { addAccount } = await import('../../identity/accounts/create-account.ts')
    const { createOrganization: create } = await import('../../identity/accounts/create-realm.ts')
    const password_hash = await password.hash
    const realmId = await create(ctx, { name, string_id: stringId, host: host ?? null })
    const { realm } = await ctx.realms.get(realmId)
    await addAccount(ctx, realm, { email, full_name, role: roles.owner, password_hash })
    console.log(`Created the organization "${name}" (${stringId}) with its owner ${email} in ${place}.`)
  })
  console.log('The owner can sign in on any server that uses this database:')
  console.log(
    `  curl -d username=${email} --data-urlencode password=… ${urlOf(readConfig('production'), host)}/api/v1/fetch_api_key`,
  )
}

/** Checked first, so that an error leaves nothing half-created. */
function check({ name, stringId, host, ownerEmail, ownerName }: NewOrganization): void {
  checkRealmName(name)
  checkStringId(stringId, '--string-id')
  if (host !== undefined) checkHost(host)
  checkEmail(ownerEmail)
  checkFullName(ownerName)
}

export function checkStringId(stringId: string, option: string): void {
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(stringId))
    throw new StartupError(
      `${option} must consist of lower-case letters and digits, with hyphens between them, not "${stringId}".`,
    )
}

export function checkRealmName(name: string): void {
  if (name.trim() === '' || name.length > 40)
    throw new StartupError('The name of an organization must have 1 to 40 characters.')
}

export function checkHost(host: string): void {
  if (!/^[a-z0-9.:-]{1,253}$/i.test(host))
    throw new StartupError(`The host must be a host name like chat.example.com, not "${host}".`)
}

/** Where users reach an organization, as far as the command line can know. */
export function urlOf({ publicUrl, host: address, port }: Config, host: string | null | undefined): string {
  return host ? `https://${host}` : (publicUrl ?? `http://${address}:${port}`)
}
