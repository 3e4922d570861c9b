import { lookup } from '@parley/api/lookup'
import type { Realm } from '../../../callers/realm-state.ts'
import { type Context, transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { accessPerson } from '../../../people/users/account-access.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column, many } from '../../../platform/db/query.ts'
import type { Job } from '../../../platform/jobs/tasks.ts'
import { deactivateAccount } from '../../accounts/deactivate-account.ts'
import { reactivatePerson } from '../../accounts/reactivate-account.ts'
import { forgetSuspension } from '../../accounts/suspensions.ts'
import { syncGroups } from '../groups.ts'
import { directoriesOf } from '../providers.ts'
import { providerOf } from './ldap.ts'
import { type LdapDirectory, withDirectory } from './ldap-connection.ts'
import { findPresent } from './ldap-entries.ts'
import { readGroups } from './ldap-groups.ts'

declare module '../../../platform/jobs/tasks.ts' {
  interface Tasks {
    sync_directories: Record<never, never>
  }
}

const halfMinute = 30_000

/** Runs every minute and plans two comparisons, so that nobody keeps access for a minute after their entry is gone. */
export async function planDirectorySyncs(ctx: Context): Promise<void> {
  const providers = ctx.config.signOn.ldap.map(providerOf)
  if (providers.length === 0) return
  const realmIds = await column<number>(ctx.db)`
    select distinct realm_id from external_identities where provider = any(${providers}::text[])`
  for (const realmId of realmIds)
    await transactIn(ctx, realmId, async (tx) => {
      const line = `sync directories ${realmId}`
      await tx.enqueue('sync_directories', {}, { key: `${line} now`, line })
      const runAt = new Date(Date.now() + halfMinute)
      await tx.enqueue('sync_directories', {}, { key: `${line} later`, line, runAt })
    })
}

/**
 * Deactivates accounts whose entry is gone or no longer matches the filter, brings them back with it, and follows the
 * mapped groups.
 */
export async function syncDirectories(ctx: Context, { realm_id }: Job<'sync_directories'>): Promise<void> {
  const { realm } = await ctx.realms.get(realm_id)
  for (const directory of directoriesOf(ctx.config, realm))
    try {
      await sync(ctx, realm, directory)
    } catch (error) {
      // Not a failed job: the next one comes in half a minute.
      ctx.log.warn({ directory: directory.id, err: error }, 'accounts could not be compared with a directory')
    }
}

interface Linked {
  user_id: number
  subject: string
  is_active: boolean
  /** The directory ended the account. */
  is_ended: boolean
}

async function sync(ctx: Context, realm: Realm, directory: LdapDirectory): Promise<void> {
  const realmId = realm.id
  const linked = await readLinked(ctx.db, realmId, directory)
  const present = await readPresent(directory, linked)
  const active = linked.filter(({ is_active }) => is_active)
  const gone = active.filter(({ subject }) => !present.has(subject))
  if (looksBroken(active.length, gone.length))
    return ctx.log.warn({ directory: directory.id }, 'a directory has none of its people any more: nothing was changed')
  const back = linked.filter(({ is_ended, subject }) => is_ended && present.has(subject))
  for (const one of gone) await inOneTransaction(ctx, realmId, (tx) => end(tx, ctx, directory, one))
  if (directory.reactivate_users ?? true)
    for (const one of back) await inOneTransaction(ctx, realmId, (tx) => restore(tx, directory, one))
  const here = active.filter(({ subject }) => present.has(subject))
  const groups = new Map(here.map(({ user_id, subject }) => [user_id, present.get(subject)!]))
  for (const userId of await readMoved(ctx.db, realm, directory, groups))
    await inOneTransaction(ctx, realmId, (tx) => syncGroups(tx, realm, userId, directory.groups!, groups.get(userId)!))
}

/** The users whose mapped groups differ from those in the directory: one query for all. */
async function readMoved(db: Db, realm: Realm, { groups: mapping }: LdapDirectory, claimed: Map<number, string[]>) {
  if (!mapping) return []
  const here = await many<{ name: string; user_ids: number[] }>(db)`
    select g.name, array(select m.user_id from group_members m where m.group_id = g.id) as user_ids
      from user_groups g
     where g.realm_id = ${realm.id} and g.name = any(${Object.values(mapping)}::text[]) and not g.is_system_group
       and not g.deactivated`
  const members = here.map(({ name, user_ids }) => ({ name, users: new Set(user_ids.map(Number)) }))
  return [...claimed.keys()].filter((userId) => {
    const wanted = new Set(claimed.get(userId)!.map((name) => lookup(mapping, name)))
    return members.some(({ name, users }) => wanted.has(name) !== users.has(userId))
  })
}

/** A wrong base, filter or permission is more likely than that everybody has left at once. */
function looksBroken(active: number, gone: number): boolean {
  return active >= 5 && gone === active
}

/** One account that cannot be changed must not keep the others. */
async function inOneTransaction(ctx: Context, realmId: number, work: (tx: Tx) => Promise<void>): Promise<void> {
  await transactIn(ctx, realmId, work).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'an account could not be changed as its directory wants it')
  })
}

function readLinked(db: Db, realmId: number, directory: LdapDirectory): Promise<Linked[]> {
  return many<Linked>(db)`
    select e.user_id, e.subject, u.is_active, e.deactivated_at is not null as is_ended
      from external_identities e join users u on u.realm_id = e.realm_id and u.id = e.user_id
     where e.realm_id = ${realmId} and e.provider = ${providerOf(directory)}
       and (u.is_active or e.deactivated_at is not null)
     order by e.user_id`
}

const perSearch = 100
const patienceSeconds = 20

/** The ids of the people who are there, with their groups. */
async function readPresent(directory: LdapDirectory, linked: Linked[]): Promise<Map<string, string[]>> {
  const present = new Map<string, string[]>()
  if (linked.length === 0) return present
  return withDirectory({ ...directory, timeout_seconds: patienceSeconds }, async (conversation) => {
    const groupsOf = directory.groups ? await readGroups(conversation, directory) : () => []
    for (let from = 0; from < linked.length; from += perSearch) {
      const subjects = linked.slice(from, from + perSearch).map(({ subject }) => subject)
      for (const [subject, entry] of await findPresent(conversation, directory, subjects))
        present.set(subject, groupsOf(entry))
    }
    return present
  })
}

/** The last owner stays: without one, nobody could help. */
async function end(tx: Tx, ctx: Context, directory: LdapDirectory, { user_id, subject }: Linked): Promise<void> {
  const locked = await accessPerson(tx, user_id)
  await forgetSuspension(tx, user_id) // otherwise its end would bring the account back
  if (!locked.target.is_active) return
  if (locked.isOnlyOwner)
    return ctx.log.warn({ user_id }, 'the entry of the last owner is gone from the directory; the account stays')
  await deactivateAccount(tx, ctx, locked)
  await setEnded(tx, directory, subject, new Date())
  await tx.audit(null, 'identity_gone', { user_id, provider: providerOf(directory) })
}

/** An administrator may have reactivated the account already. */
async function restore(tx: Tx, directory: LdapDirectory, { user_id, subject }: Linked): Promise<void> {
  const locked = await accessPerson(tx, user_id)
  await setEnded(tx, directory, subject, null)
  if (locked.target.is_active) return
  await reactivatePerson(tx, locked)
  await tx.audit(null, 'identity_returned', { user_id, provider: providerOf(directory) })
}

async function setEnded(tx: Tx, directory: LdapDirectory, subject: string, deactivated_at: Date | null) {
  const identity = { realm_id: tx.realmId, provider: providerOf(directory), subject }
  await tx.db.updateTable('external_identities').set({ deactivated_at }).where(matches(identity)).execute()
}
