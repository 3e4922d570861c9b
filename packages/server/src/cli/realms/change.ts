import { transactIn } from '../../context.ts'
import { changeHost } from '../../organization/realms/change-host.ts'
import { storeIdentity } from '../../organization/realms/update-realm.ts'
import { findRealm, withContext } from '../open-context.ts'
import { checkHost, checkRealmName } from './create.ts'

export async function renameOrganization(name: string, options: { realm?: string }): Promise<void> {
  checkRealmName(name)
  await withContext(async (ctx) => {
    const { id } = await findRealm(ctx.db, options.realm)
    const { realm } = await ctx.realms.get(id)
    await transactIn(ctx, id, async (tx) => {
      const changed = await storeIdentity(tx, realm, { name: name.trim() })
      if (changed.length > 0) await tx.audit(null, 'realm_updated', { changed })
    })
    console.log(`${realm.name} is now called ${name.trim()}.`)
  })
}

/** `default` makes it answer on every host that no other organization has. */
export async function setHost(host: string, options: { realm?: string }): Promise<void> {
  const wanted = host === 'default' ? null : host.toLowerCase()
  if (wanted !== null) checkHost(wanted)
  await withContext(async (ctx) => {
    const { id, name } = await findRealm(ctx.db, options.realm)
    await transactIn(ctx, id, (tx) => changeHost(tx, wanted))
    const where = wanted ?? 'every host that no other organization has'
    console.log(`${name} answers on ${where}. Browsers must sign in again there, and passkeys must be set up again.`)
  })
}
