import { loadState, type Realm } from '../../callers/realm-state.ts'
import { type Context, transactIn } from '../../context.ts'
import { quotaOf } from '../../conversations/uploads/quota.ts'
import { lockRealm } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { changeHost } from '../../organization/realms/change-host.ts'
import { changedSettings, storeIdentity, storeQuota, storeSettings } from '../../organization/realms/update-realm.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
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

/** For the organization as it is now, locked so that nobody else changes it. */
async function changeRealm(
  stringId: string | undefined,
  change: (tx: Tx, realm: Realm, ctx: Context) => Promise<string>,
): Promise<void> {
  await withContext(async (ctx) => {
    const { id } = await findRealm(ctx.db, stringId)
    const done = await transactIn(ctx, id, async (tx) => {
      await lockRealm(tx)
      return change(tx, (await loadState(tx.db, id)).realm, ctx)
    })
    console.log(done)
  })
}

const mostDays = 36_500

export async function setRetention(typed: string, options: { realm?: string }): Promise<void> {
  const message_retention_days = typed === 'forever' ? -1 : wholeNumber(typed, 1, mostDays, '"forever"')
  await changeRealm(options.realm, async (tx, realm) => {
    const changed = changedSettings(realm, { message_retention_days })
    const before = { message_retention_days: realm.settings.message_retention_days }
    await storeSettings(tx, realm, changed)
    if (Object.keys(changed).length > 0)
      await tx.audit(null, 'realm_updated', { updated: Object.keys(changed) }, { before, after: changed })
    if (message_retention_days === -1) return `${realm.name} keeps its messages for ever.`
    return `${realm.name} deletes messages after ${message_retention_days} days, except where a channel has its own period.`
  })
}

const mostMib = 1_000_000_000

export async function setQuota(typed: string, options: { realm?: string }): Promise<void> {
  const upload_quota_mib = typed === 'default' ? null : wholeNumber(typed, 0, mostMib, '"default"')
  await changeRealm(options.realm, async (tx, realm, { config }) => {
    const quota = quotaOf(config, { ...realm, upload_quota_mib })
    await storeQuota(tx, upload_quota_mib, quota)
    const before = { upload_quota_mib: realm.upload_quota_mib }
    await tx.audit(null, 'realm_updated', { updated: ['upload_quota_mib'] }, { before, after: { upload_quota_mib } })
    return quota === null ? `The uploads of ${realm.name} have no limit.` : `${realm.name} may upload ${quota} MiB.`
  })
}

function wholeNumber(typed: string, least: number, most: number, word: string): number {
  const value = Number(typed)
  if (/^\d{1,10}$/.test(typed) && value >= least && value <= most) return value
  throw new StartupError(`This must be a whole number from ${least} to ${most}, or ${word}, not "${typed}".`)
}
