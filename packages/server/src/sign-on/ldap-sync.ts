import { deactivateAccount } from '../accounts/deactivate-account.ts'
import { reactivatePerson } from '../accounts/reactivate-account.ts'
import { type Context, transactIn } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import { matches } from '../platform/db/matches.ts'
import type { Db } from '../platform/db/pool.ts'
import { column, many } from '../platform/db/query.ts'
import type { Job } from '../platform/jobs/tasks.ts'
import { accessPerson } from '../users/account-access.ts'
import { providerOf } from './ldap.ts'
import { type LdapDirectory, withDirectory } from './ldap-connection.ts'
import { findPresent } from './ldap-entries.ts'
import { directoriesOf } from './providers.ts'

declare module '../platform/jobs/tasks.ts' {
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

/** Deactivates accounts whose entry is gone or no longer matches the filter, and brings them back with it. */
export async function syncDirectories(ctx: Context, { realm_id }: Job<'sync_directories'>): Promise<void> {
  const { realm } = await ctx.realms.get(realm_id)
  for (const directory of directoriesOf(ctx.config, realm))
    try {
      await sync(ctx, realm_id, directory)
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

async function sync(ctx: Context, realmId: number, directory: LdapDirectory): Promise<void> {
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
      from external_identities e join users u on u.id = e.user_id
     where e.realm_id = ${realmId} and e.provider = ${providerOf(directory)}
       and (u.is_active or e.deactivated_at is not null)
     order by e.user_id`
}

const perSearch = 100
const patienceSeconds = 20

async function readPresent(directory: LdapDirectory, linked: Linked[]): Promise<Set<string>> {
  if (linked.length === 0) return new Set()
  const subjects = linked.map(({ subject }) => subject)
  return withDirectory({ ...directory, timeout_seconds: patienceSeconds }, async (conversation) => {
    const present = new Set<string>()
    for (let from = 0; from < subjects.length; from += perSearch)
      for (const one of await findPresent(conversation, directory, subjects.slice(from, from + perSearch)))
        present.add(one)
    return present
  })
}

/** The last owner stays: without one, nobody could help. */
async function end(tx: Tx, ctx: Context, directory: LdapDirectory, { user_id, subject }: Linked): Promise<void> {
  const locked = await accessPerson(tx, user_id)
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
